/**
 * `service doctor` in states in which the service or its database cannot be used. Those that need a PostgreSQL of their own are
 * in diagnosis.long.ts.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, expect, inject, test } from 'vitest'
import { addUser } from '../access/users.ts'
import { finishMove, giveUpMoves, noteMove, raiseFence } from '../storage/backup/fence.ts'
import { connect } from '../storage/db.ts'
import { addPhone } from '../testing/console.ts'
import { createEmptyDatabase } from '../testing/database.ts'
import { freePort, openShop, SECRETS_KEY } from '../testing/harness.ts'
import { operate, operateJson } from '../testing/operator.ts'
import { openKassa } from '../testing/scene.ts'
import type { Finding } from './finding.ts'

const kassa = await openKassa()
await openShop(kassa.ctx, { callbackUrl: 'http://127.0.0.1:1/callback' })

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const each of undo.splice(0)) await each()
})

const settings = () => ({ DATABASE_URL: kassa.databaseUrl, PORT: new URL(kassa.url).port })

/** Returns the findings that are not good. */
async function examine(changes: Record<string, string> = {}): Promise<Finding[]> {
  const { code, answer } = await operateJson({ ...settings(), ...changes }, ['service', 'doctor'])
  const findings = answer.findings as Finding[]
  const isBad = findings.some(({ state }) => state === 'bad')
  expect([code, answer.ok]).toEqual(isBad ? [1, false] : [0, true])
  const troubles = findings.filter(({ state, about }) => state !== 'good' && about !== 'Backup')
  for (const { next } of troubles) expect(next).toMatch(/^[\w=:/.,@ #*'?-]+$/)
  return troubles
}

/** A finding whose message and next command match. */
const finding = (state: 'open' | 'bad', about: string, message: RegExp, next: RegExp) =>
  expect.objectContaining({
    state,
    about,
    message: expect.stringMatching(message),
    next: expect.stringMatching(next),
  })

const changed = (change: (url: URL) => void) => {
  const url = new URL(kassa.databaseUrl)
  change(url)
  return { DATABASE_URL: url.href }
}

test('a service that is well', async () => {
  expect(await examine()).toEqual([])
  const { stdout } = await operate(settings(), ['service', 'doctor'])
  expect(stdout).toMatch(
    /^ok +Service: the process at .* is ready\nok +Database: it responds, and it stores\n/,
  )
})

test('no process runs', async () => {
  expect(await examine({ PORT: String(await freePort()) })).toEqual([
    finding('bad', 'Service', /no process answers at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/, /^npm start$/),
  ])
})

test.each<[string, () => Record<string, string>, RegExp, RegExp]>([
  [
    'nobody listens',
    () => ({ DATABASE_URL: 'postgres://kassa:x@127.0.0.1:1/kassa' }),
    /nobody listens at 127\.0\.0\.1:1/,
    /^systemctl status 'postgresql\*'$/,
  ],
  [
    'the password is wrong',
    () => changed((url) => Object.assign(url, { password: 'wrong-secret' })),
    /rejects the password of the user/,
    /^DATABASE_URL=/,
  ],
  [
    'the name is wrong',
    () => changed((url) => Object.assign(url, { pathname: '/nothing' })),
    /has no database nothing/,
    /^DATABASE_URL=/,
  ],
  [
    'there is no data directory',
    () => ({ DATABASE_URL: '', DATA_DIR: '/nowhere/kassa' }),
    /there is none in \/nowhere\/kassa/,
    /^DATA_DIR=/,
  ],
])('the database cannot be used: %s', async (_, changes, message, next) => {
  const findings = await examine(changes())
  expect(findings).toEqual([finding('bad', 'Database', message, next)])
  expect(JSON.stringify(findings)).not.toContain('wrong-secret')
})

test('the database is empty', async () => {
  const empty = await createEmptyDatabase(inject('postgresUrl'))
  undo.push(empty.drop)
  expect(await examine({ DATABASE_URL: empty.url })).toEqual([
    finding('bad', 'Database', /empty: there is no Kassa/, /^DATABASE_URL=/),
  ])
})

test('the database is of a newer version, or of an earlier one', async () => {
  const { db } = kassa.ctx
  undo.push(() => db.query("delete from kassa.migrations where name = '0999_new.sql'"))
  await db.query(
    "insert into kassa.migrations (schema, name, digest, oldest_version, applied_by) values ('sandbox', '0999_new.sql', 'x', '9.0.0', '9.1.0')",
  )
  expect(await examine()).toEqual([
    finding('bad', 'Database', /Kassa 9\.1\.0 has upgraded this database/, /./),
  ])
  await db.query("delete from kassa.migrations where name = '0999_new.sql'")
  const { rows } = await db.query(
    "delete from kassa.migrations where schema = 'sandbox' and name like '0005%' returning *",
  )
  undo.push(() =>
    db.query(
      'insert into kassa.migrations select * from json_populate_recordset(null::kassa.migrations, $1)',
      [JSON.stringify(rows)],
    ),
  )
  expect(await examine()).toEqual([
    finding('bad', 'Database', /of an earlier version, and lacks 1 migration$/, /database migrate --plan$/),
  ])
})

test('the key is wrong, or missing', async () => {
  const SECRETS_KEY = Buffer.alloc(32, 9).toString('base64')
  expect(await examine({ SECRETS_KEY })).toContainEqual(
    finding(
      'bad',
      'Keys',
      /SECRETS_KEY does not open secrets in this database/,
      /^SECRETS_KEY=NEWER,EARLIER/,
    ),
  )
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'kassa-no-key-'))
  undo.push(() => rm(DATA_DIR, { recursive: true }))
  expect(await examine({ SECRETS_KEY: '', DATA_DIR })).toContainEqual(
    finding('bad', 'Keys', /SECRETS_KEY is not set, and there is no file secrets-key/, /^SECRETS_KEY=/),
  )
})

test('the database is read-only', async () => {
  const name = new URL(kassa.databaseUrl).pathname.slice(1)
  const client = new pg.Client({ connectionString: inject('postgresUrl') })
  await client.connect()
  undo.push(() => client.end())
  await client.query(`alter database ${name} set default_transaction_read_only = on`)
  const findings = await examine()
  await client.query(`alter database ${name} reset default_transaction_read_only`)
  expect(findings).toEqual([finding('bad', 'Database', /set to be read-only/, /^DATABASE_URL=/)])
})

test('a table is locked, so the work in the database cannot be read', { tags: ['long'] }, async () => {
  const tx = await connect(kassa.ctx.db)
  undo.push(async () => {
    await tx.query('rollback')
    tx.release()
  })
  await tx.query('begin; lock table sandbox.receipts in access exclusive mode')
  expect(await examine()).toEqual([finding('bad', 'Open work', /cannot be read/, /./)])
})

test('in live mode the database is asked without TLS on another machine', async () => {
  const live = { MODE: 'live', BASE_URL: 'https://pay.example', SECRETS_KEY, TRUST_PROXY: '1' }
  const found = await examine({
    ...live,
    RATE_LIMITS: '',
    DATABASE_DIRECT_URL: 'postgres://db.invalid/kassa',
  })
  expect(found).toContainEqual(
    finding(
      'open',
      'Encryption',
      /^The connection of DATABASE_DIRECT_URL leaves/,
      /^DATABASE_DIRECT_URL='postgres:/,
    ),
  )
})

test('a backup is offered in the directory of the earlier ones, also after a restore elsewhere', {
  tags: ['long'],
}, async () => {
  const offered = async (DATABASE_URL = kassa.databaseUrl) => {
    const { answer } = await operateJson({ ...settings(), DATABASE_URL }, ['service', 'doctor'])
    return (answer.findings as Finding[]).find(({ about }) => about === 'Backup')
  }
  const folder = await mkdtemp(join(tmpdir(), 'kassa backups-'))
  undo.push(() => rm(folder, { recursive: true }))
  const none = await offered()
  expect(none?.next).toBe('npm run -s admin -- backup create --in /var/backups/kassa')
  const backUp = (...to: string[]) => operateJson(settings(), ['backup', 'create', ...to])
  await backUp('--in', folder)
  await kassa.ctx.db.query("update kassa.backups set made_at = made_at - interval '27 hours'")
  undo.push(() => kassa.ctx.db.query('delete from kassa.backups'))
  const directory = join(folder, 'before-the-upgrade')
  await backUp('--to', directory)
  const empty = await createEmptyDatabase(inject('postgresUrl'))
  undo.push(empty.drop)
  const restored = { ...settings(), DATABASE_URL: empty.url }
  const { code } = await operate(restored, ['backup', 'restore', '--from', directory])
  expect(code).toBe(0)
  expect(await offered(empty.url)).toMatchObject({
    state: 'open',
    message: expect.stringMatching(/^the last one is 1d 3h/),
    next: `npm run -s admin -- backup create --in '${folder}'`,
  })
})

test('somebody guesses passwords of unknown addresses', { tags: ['long'] }, async () => {
  const { ctx } = kassa
  undo.push(() => ctx.db.query('delete from kassa.unknown_sign_ins'))
  const note = (tries: number, network: string, at: string) =>
    ctx.db.query(
      `insert into kassa.unknown_sign_ins select (moment at time zone 'UTC')::date, $2, $1, 'x', moment
       from (select now() - $3::interval as moment) given`,
      [tries, network, at],
    )
  await note(99, '192.0.2.0/24', '1 hour')
  await note(500, '192.0.2.0/24', '25 hours')
  expect(await examine()).toEqual([])
  await note(1, '198.51.100.0/24', '1 minute')
  expect(await examine()).toEqual([
    finding('open', 'Sign-ins', /^100 passwords tried for unknown .* from 2 networks$/, /audit list$/),
  ])
})

test('passkeys were made at another address of the console', { tags: ['long'] }, async () => {
  const { ctx } = kassa
  const { operator } = await addUser(ctx, {
    name: 'Zara K',
    role: 'administrator',
    email: 'z@pay.example',
    isKeyless: true,
  })
  undo.push(() => ctx.db.query('delete from kassa.passkeys'))
  await addPhone(ctx, { origin: 'http://localhost:3001' }, operator.id)
  expect(await examine()).toEqual([])
  const moved = { CONSOLE_BASE_URL: 'https://desk.example' }
  expect(await examine(moved)).toEqual([
    finding(
      'bad',
      'Passkeys',
      /^1 passkey made at localhost: they do not work at https:\/\/desk\.example\. So Zara K cannot sign in.*CONSOLE_BASE_URL/,
      /user reset --user 'Zara K'$/,
    ),
  ])
  await addPhone(ctx, { origin: 'https://desk.example' }, operator.id)
  expect(await examine(moved)).toEqual([
    finding('open', 'Passkeys', /^1 passkey made at localhost: they do not work/, /user list$/),
  ])
})

test('an examination changes nothing in the database', async () => {
  const { db } = kassa.ctx
  const state = async () =>
    (
      await db.query(
        "select sum(n_tup_ins + n_tup_upd + n_tup_del)::int as writes from pg_stat_user_tables where schemaname in ('kassa', 'sandbox')",
      )
    ).rows
  await db.query('select pg_stat_force_next_flush()')
  const before = await state()
  await examine()
  await db.query('select pg_stat_force_next_flush()')
  expect(await state()).toEqual(before)
})

// Last, because the service remembers for five seconds why it is not ready.
test('the database is being moved, or was moved', { tags: ['long'] }, async () => {
  const { db } = kassa.ctx
  undo.push(() => giveUpMoves(db))
  const move = await noteMove(db, 'db.example/kassa', new Date())
  await raiseFence(db, move)
  expect(await examine()).toContainEqual(
    finding(
      'bad',
      'Move',
      /being moved to db\.example\/kassa, and nothing can be stored/,
      /database reopen$/,
    ),
  )
  await finishMove(db, move, new Date())
  expect(await examine()).toContainEqual(
    finding('bad', 'Move', /was moved to db\.example\/kassa/, /^DATABASE_URL=/),
  )
})
