/** A log that another role owns, through a restore into a new embedded database and a move to another server: nothing is wrong with it. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import { openService } from '../service.ts'
import { createEmptyDatabase, createPreparedDatabase, type TestDatabase } from '../testing/database.ts'
import { SECRETS_KEY } from '../testing/harness.ts'
import { operate, operateJson } from '../testing/operator.ts'
import { makeCheckpoint } from './daily-checkpoint.ts'

let folder: string
let shops = 0
const databases: TestDatabase[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-moved-log-'))
  await chmod(folder, 0o755)
})
afterAll(async () => {
  for (const database of databases) await database.drop()
  await rm(folder, { recursive: true, force: true })
})

type Settings = Record<string, string>

/** All of them keep their checkpoints in the same place. */
const common = () => ({
  MODE: 'sandbox',
  SECRETS_KEY,
  LOG_LEVEL: 'silent',
  SEED_DEMO: 'false',
  AUDIT_CHECKPOINT_DIR: join(folder, 'outside'),
})
const embedded = (name: string): Settings => ({ ...common(), DATA_DIR: join(folder, name) })

async function serve(settings: Settings, work: (ctx: Context) => Promise<void>): Promise<void> {
  const service = await openService(readConfig(settings), { onProgress: () => {} })
  await work(service.ctx).finally(() => service.close())
}

/** Does something that leaves a row, and makes a checkpoint outside. The database forgets its own, so that another one is due. */
async function workADay(ctx: Context): Promise<void> {
  await createMerchant(ctx, { name: `Shop ${++shops}` })
  await ctx.db.query('delete from kassa.audit_checkpoints')
  await makeCheckpoint(ctx, new Date())
}

async function run(settings: Settings, ...args: string[]): Promise<void> {
  const { code, stderr } = await operate(settings, args)
  expect([code, stderr], args.join(' ')).toEqual([0, ''])
}

async function expectClean(settings: Settings): Promise<void> {
  const { answer } = await operateJson(settings, ['audit', 'verify'])
  expect(answer).toMatchObject({ ok: true, isGuarded: true, faults: [], warnings: [] })
  // People act again, and the log goes on.
  await run(settings, 'merchant', 'create', '--name', `Shop ${++shops}`)
}

test('the log is clean after a restore into a new data directory, after a move to another server, and after a restore there', async () => {
  const [first, second] = [embedded('first'), embedded('second')]
  const backup = join(folder, 'backup')
  await serve(first, async (ctx) => {
    await workADay(ctx)
    await run(first, 'backup', 'create', '--to', backup)
    await workADay(ctx)
  })

  // As the guide says it: the old directory is put aside.
  await run(second, 'backup', 'restore', '--from', backup)
  await serve(second, async (ctx) => {
    await expectClean(second)
    await workADay(ctx)
    await expectClean(second)
  })

  const moved = await createPreparedDatabase(inject('postgresUrl'))
  databases.push(moved)
  await run(second, 'database', 'move', '--to', moved.url)
  const third = { ...common(), DATABASE_URL: moved.url, DATA_DIR: join(folder, 'third') }
  const again = join(folder, 'again')
  await serve(third, async (ctx) => {
    await expectClean(third)
    await workADay(ctx)
    await expectClean(third)
    await run(third, 'backup', 'create', '--to', again)
    await workADay(ctx)
  })

  const other = await createPreparedDatabase(inject('postgresUrl'))
  databases.push(other)
  const fourth = { ...third, DATABASE_URL: other.url }
  await run(fourth, 'backup', 'restore', '--from', again)
  await serve(fourth, async (ctx) => {
    await expectClean(fourth)
    await workADay(ctx)
    await expectClean(fourth)
  })
})

test('a restore into a database that nobody has prepared says so, and people change nothing there', async () => {
  const source = embedded('source')
  const backup = join(folder, 'of-source')
  await serve(source, async (ctx) => {
    await workADay(ctx)
    await run(source, 'backup', 'create', '--to', backup)
  })
  const bare = await createEmptyDatabase(inject('postgresUrl'))
  databases.push(bare)
  const restored = { ...common(), DATABASE_URL: bare.url, DATA_DIR: join(folder, 'bare') }
  const { code, stdout } = await operate(restored, ['backup', 'restore', '--from', backup])
  expect([code, stdout]).toEqual([0, expect.stringContaining('Nobody has prepared this database')])
  await serve(restored, async () => {})
  expect(await operate(restored, ['merchant', 'create', '--name', 'Late'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('says that another role owned the audit log'),
  })
})
