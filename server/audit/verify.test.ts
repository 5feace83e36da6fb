/** An audit log that somebody has changed who may write everything in the database, and one after a restore and a move. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { writeNotice } from '../mail/notice.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import { openService, type Service } from '../service.ts'
import { type Checkpoint, findLatestCheckpoint } from '../storage/audit/checkpoints.ts'
import { appendAudit } from '../storage/audit/log.ts'
import { inTransaction, openDb } from '../storage/db.ts'
import { listMails, type NoticeMail } from '../storage/mails/mails.ts'
import { createEmptyDatabase, type TestDatabase } from '../testing/database.ts'
import { SECRETS_KEY } from '../testing/harness.ts'
import { operate, operateJson } from '../testing/operator.ts'
import { checkpointKey } from './checkpoint.ts'
import { makeCheckpoint } from './daily-checkpoint.ts'
import { parseCheckpoints, verifyLog } from './verify.ts'

let folder: string
let database: TestDatabase
let service: Service
let ctx: Context
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-audit-'))
  // The role of this database owns the log, so it can do what elsewhere only a superuser can.
  database = await createEmptyDatabase(inject('postgresUrl'))
  const config = readConfig({
    MODE: 'sandbox',
    SECRETS_KEY,
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.url,
    AUDIT_CHECKPOINT_DIR: folder,
    DATA_DIR: folder,
  })
  service = await openService(config)
  ctx = service.ctx
  for (let number = 1; number <= 30; number++) await act(number)
  await ctx.db.query('create table public.original as select * from kassa.audit_log')
})
afterAll(async () => {
  await service.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => forge('truncate kassa.audit_log; insert into kassa.audit_log select * from public.original'))

const act = (number: number) =>
  inTransaction(ctx.db, (tx) =>
    appendAudit(
      tx,
      { id: `act_${number}`, who: 'Անի', operator: null, from: 'host test', what: 'payment confirm' },
      { world: 'sandbox', merchantId: null, about: `pay_${number}`, after: { status: 'paid' } },
    ),
  )

/** Changes the log as somebody who may do everything. */
async function forge(statements: string): Promise<void> {
  await ctx.db.query(
    `begin; alter table kassa.audit_log disable trigger user; ${statements}; alter table kassa.audit_log enable trigger user; commit`,
  )
}
const verify = (given: Checkpoint[] = [], keys: string[] = []) => verifyLog(ctx, { given, keys })
const lastOf = async () => (await verify()).rows
/** The digest of a row as the function of the database calculates it. */
const REDIGEST = (where: string) => `
  update kassa.audit_log set digest = encode(sha256(convert_to((
    select string_agg(coalesce(octet_length(value) || ':' || value, '-'), ' ' order by place)
    from unnest(array[seq::text, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), act, who, operator_id, origin,
      what, world, merchant_id, about, before, after, previous]) with ordinality as field (value, place)), 'UTF8')), 'hex') where ${where}`
/** Calculates every digest from a row on, so that the chain is whole again. */
const RECHAIN = (from: number) => `do $do$ declare r record; begin
  for r in select seq from kassa.audit_log where seq >= ${from} order by seq loop
    update kassa.audit_log set previous = coalesce((select digest from kassa.audit_log where seq < r.seq order by seq desc limit 1), '') where seq = r.seq;
    ${REDIGEST('seq = r.seq')};
  end loop; end $do$`

/** Makes a checkpoint, takes it out of the database, and removes it there. */
async function takeOutside(at = new Date()): Promise<Checkpoint> {
  await ctx.db.query('delete from kassa.audit_checkpoints')
  await makeCheckpoint(ctx, at)
  const names = (await readdir(folder)).filter((name) => name.startsWith('kassa-audit-'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  const checkpoint = parseCheckpoints(texts.join(''), folder).find((each) => each.at === at.toISOString())
  await ctx.db.query('delete from kassa.audit_checkpoints')
  for (const name of names) await rm(join(folder, name))
  return checkpoint as Checkpoint
}

describe('the chain alone', () => {
  test('agrees with a log that nobody has changed, and names the public key', async () => {
    expect(await verify()).toMatchObject({ faults: [], gaps: [], publicKey: checkpointKey(ctx) })
    expect(await lastOf()).toBeGreaterThanOrEqual(30)
  })

  test('names a changed row', async () => {
    await forge("update kassa.audit_log set who = 'nobody' where seq = 12")
    expect((await verify()).faults).toMatchObject([
      { kind: 'changed', seq: 12, message: expect.stringMatching(/Row 12 was changed/) },
    ])
  })

  test('names the row after one that was changed with a new digest', async () => {
    await forge(`update kassa.audit_log set who = 'nobody' where seq = 12; ${REDIGEST('seq = 12')}`)
    expect((await verify()).faults).toMatchObject([{ kind: 'added', seq: 13 }])
  })

  test('names removed rows', async () => {
    await forge('delete from kassa.audit_log where seq between 5 and 7')
    expect((await verify()).faults).toMatchObject([
      { kind: 'removed', seq: 5, message: 'Rows 5 to 7 were removed.' },
    ])
  })

  test('names a row that was added at the end', async () => {
    const last = await lastOf()
    await forge(
      `insert into kassa.audit_log (seq, at, who, origin, what, about, previous, digest)
       values (${last + 1}, now(), 'nobody', 'nowhere', 'payment confirm', 'pay_1', '', ''); ${REDIGEST(`seq = ${last + 1}`)}`,
    )
    expect((await verify()).faults).toMatchObject([{ kind: 'added', seq: last + 1 }])
  })
})

describe('a checkpoint outside', () => {
  test('agrees with a log that has grown since', async () => {
    const checkpoint = await takeOutside()
    await act(31)
    expect(await verify([checkpoint])).toMatchObject({ faults: [], checkpoints: 1 })
  })

  test.each([
    ['changed', "update kassa.audit_log set who = 'nobody' where seq = 12"],
    [
      'removed',
      'delete from kassa.audit_log where seq = 12; update kassa.audit_log set seq = seq - 1 where seq > 12',
    ],
    [
      'added',
      `update kassa.audit_log set seq = -seq - 1 where seq >= 12; update kassa.audit_log set seq = -seq where seq < 0;
       insert into kassa.audit_log select * from public.original where seq = 12`,
    ],
  ])('shows a row that was %s, and the chain calculated anew', async (_, forgery) => {
    const checkpoint = await takeOutside()
    await forge(`${forgery}; ${RECHAIN(1)}`)
    expect((await verify()).faults).toEqual([])
    await act(32)
    expect((await verify([checkpoint])).faults).toMatchObject([
      { kind: 'checkpoint', seq: checkpoint.seq, message: expect.stringMatching(/another digest/) },
    ])
  })

  test('shows that the last rows were removed', async () => {
    const checkpoint = await takeOutside()
    await forge('delete from kassa.audit_log where seq > 20')
    expect((await verify()).faults).toEqual([])
    expect((await verify([checkpoint])).faults).toMatchObject([
      { kind: 'checkpoint', message: expect.stringMatching(/rows were removed/) },
    ])
  })

  test('that was changed, or that another key has signed, is refused', async () => {
    const checkpoint = await takeOutside()
    const wrong = { ...checkpoint, digest: '0'.repeat(64) }
    expect((await verify([wrong])).faults).toMatchObject([
      { message: expect.stringMatching(/wrong signature/) },
    ])
    const other = await openService(
      readConfig({
        MODE: 'sandbox',
        SECRETS_KEY: Buffer.alloc(32, 9).toString('base64'),
        LOG_LEVEL: 'silent',
        DATABASE_URL: database.url,
      }),
    )
    const view = await verifyLog(other.ctx, { given: [checkpoint], keys: [] })
    expect(view.faults).toMatchObject([{ message: expect.stringMatching(/signed by the key .*--key /) }])
    expect(
      (await verifyLog(other.ctx, { given: [checkpoint], keys: [checkpoint.publicKey] })).faults,
    ).toEqual([])
    await other.close()
  })

  test('is made once a day, by whichever worker comes first', async () => {
    await ctx.db.query('delete from kassa.audit_checkpoints')
    const start = Date.now()
    const hours = (count: number) => new Date(start + count * 3_600_000)
    await Promise.all([
      makeCheckpoint(ctx, hours(0)),
      makeCheckpoint(ctx, hours(0)),
      makeCheckpoint(ctx, hours(1)),
    ])
    await makeCheckpoint(ctx, hours(23))
    const count = async () => (await ctx.db.query('select from kassa.audit_checkpoints')).rowCount
    expect(await count()).toBe(1)
    await makeCheckpoint(ctx, hours(25))
    expect(await count()).toBe(2)
    expect((await verify()).faults).toEqual([])
  })
})

test('a checkpoint goes out by mail, and the text of the mail is read again', async () => {
  const smtpServer = { host: 'mail.example', port: 25, isEncrypted: false, isLoopback: true }
  const config = {
    ...ctx.config,
    smtpServer,
    mailFrom: 'pay@shop.example',
    operatorEmail: 'ani@shop.example',
  }
  const lines: object[] = []
  const log = { ...ctx.log, debug: (line: object) => lines.push(line) } as unknown as Context['log']
  await ctx.db.query('delete from kassa.audit_checkpoints')
  await makeCheckpoint({ ...ctx, config, log })
  const [mail] = await listMails(ctx.db, { limit: 5 })
  expect(mail).toMatchObject({ kind: 'audit_checkpoint', state: 'waiting' })
  const { text, subject } = await writeNotice({ ...ctx, config }, mail as NoticeMail, 'ani@shop.example')
  expect(subject).toContain('Checkpoint of the audit log')
  const [read] = parseCheckpoints(text, 'the mail')
  expect(lines).toEqual([{ checkpoint: read }])
  expect(await verify([read as Checkpoint])).toMatchObject({ faults: [], checkpoints: 3 })
})

test('audit verify reads a file, a line of the log and a missing file, and fails for a wrong log', async () => {
  const checkpoint = await takeOutside()
  const file = join(folder, 'outside.txt')
  await writeFile(file, `nothing\n${JSON.stringify({ level: 30, checkpoint, msg: 'audit checkpoint' })}\n`)
  const settings = { DATABASE_URL: database.url }
  const verified = (...args: string[]) => operateJson(settings, ['audit', 'verify', ...args])
  expect(await verified('--checkpoint', file)).toMatchObject({
    code: 0,
    answer: { ok: true, checkpoints: 1 },
  })
  expect((await verified('--checkpoint', join(folder, 'none'))).answer.error.message).toContain(
    'cannot be read',
  )
  await forge('update kassa.audit_log set after = null where seq = 3')
  const { code, answer } = await verified('--checkpoint', file)
  expect([code, answer.error.code, answer.faults]).toMatchObject([
    1,
    'audit_log_faulty',
    [{ kind: 'changed', seq: 3 }],
  ])
  const output = await operate(settings, ['audit', 'verify'])
  expect(output).toMatchObject({ code: 1, stdout: expect.stringMatching(/Row 3 was changed/) })
})

test('a restore and a move leave rows, and the gap of the restore is named', { tags: ['long'] }, async () => {
  await createMerchant(ctx, { name: 'Shop' })
  const backup = join(folder, 'backup')
  const settings = { DATABASE_URL: database.url, USER: 'ani' }
  const run = async (given: Record<string, string>, ...args: string[]) => {
    const { code, stdout, stderr } = await operate({ ...settings, ...given }, args)
    expect([code, stderr]).toEqual([0, ''])
    return stdout
  }
  const early = await takeOutside(new Date(Date.now() - 60_000))
  await run({}, 'backup', 'create', '--to', backup)
  await act(33)
  const outside = await takeOutside()
  const restored = await createEmptyDatabase(inject('postgresUrl'))
  const moved = await createEmptyDatabase(inject('postgresUrl'))
  await run({ DATABASE_URL: restored.url }, 'backup', 'restore', '--from', backup)
  const file = join(folder, 'outside.json')
  await writeFile(file, JSON.stringify(outside))
  const verified = (url: string, given = file) =>
    operateJson({ DATABASE_URL: url }, ['audit', 'verify', '--checkpoint', given])
  const { answer } = await verified(restored.url)
  expect(answer).toMatchObject({
    ok: true,
    faults: [],
    gaps: [{ message: expect.stringMatching(/A backup of .* was restored at/) }],
  })
  expect(answer.gaps).toHaveLength(1)
  const listed = async (url: string) =>
    (await operateJson({ DATABASE_URL: url }, ['audit', 'list'])).answer.rows
  expect((await listed(restored.url)).at(-1)).toMatchObject({
    what: 'backup restore',
    who: 'ani',
    world: null,
  })
  await run({ DATABASE_URL: restored.url }, 'database', 'move', '--to', moved.url)
  expect((await listed(moved.url)).at(-1)).toMatchObject({ what: 'database move', who: 'ani', world: null })
  expect((await verified(moved.url)).answer).toMatchObject({ ok: true, faults: [] })
  // A restore explains nothing that was in the log before its backup.
  const earlyFile = join(folder, 'early.json')
  await writeFile(earlyFile, JSON.stringify(early))
  expect((await verified(moved.url, earlyFile)).answer.faults).toEqual([])
  const db = openDb(moved.url, { world: 'sandbox' })
  // It explains nothing that happened after it either.
  await makeCheckpoint({ ...ctx, db }, new Date())
  const late = await findLatestCheckpoint(db)
  await db.query('delete from kassa.audit_checkpoints')
  await db.query('create table public.kept as select * from kassa.audit_log')
  await db.query(
    'alter table kassa.audit_log disable trigger user; delete from kassa.audit_log where seq = (select max(seq) from kassa.audit_log)',
  )
  const view = await verifyLog({ ...ctx, db }, { given: late ? [late] : [], keys: [] })
  expect(view.faults).toMatchObject([
    { kind: 'checkpoint', message: expect.stringMatching(/rows were removed/) },
  ])
  await db.query('delete from kassa.audit_log; insert into kassa.audit_log select * from public.kept')
  await db.query(
    `alter table kassa.audit_log disable trigger user; update kassa.audit_log set who = 'nobody' where seq = 12; ${RECHAIN(1)}`,
  )
  await db.end()
  expect((await verified(moved.url)).answer.faults).toEqual([])
  expect((await verified(moved.url, earlyFile)).answer.faults).toMatchObject([
    { kind: 'checkpoint', seq: early.seq, message: expect.stringMatching(/another digest/) },
  ])
  await restored.drop()
  await moved.drop()
})
