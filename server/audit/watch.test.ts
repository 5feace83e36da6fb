/** Triggers of the audit log that were stopped and started again: two checkpoints disagree, although the log itself is whole. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { readConfig } from '../config.ts'
import { openService, type Service } from '../service.ts'
import { createEmptyDatabase, type TestDatabase } from '../testing/database.ts'
import { openShop, SECRETS_KEY } from '../testing/harness.ts'
import { makeCheckpoint } from './daily-checkpoint.ts'
import { verifyLog } from './verify.ts'

const DAY_MS = 24 * 3_600_000
const START = Date.now() - 60 * DAY_MS

let folder: string
let database: TestDatabase
let service: Service
let days = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-watch-'))
  database = await createEmptyDatabase(inject('postgresUrl'))
  const given = { MODE: 'sandbox', SECRETS_KEY, LOG_LEVEL: 'silent', SEED_DEMO: 'false' }
  service = await openService(
    readConfig({ ...given, DATABASE_URL: database.url, DATA_DIR: folder, AUDIT_CHECKPOINT_DIR: folder }),
    { onProgress: () => {} },
  )
  await openShop(service.ctx)
})
afterAll(async () => {
  await service.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

/** Makes the checkpoint of the next day, and returns its time. */
async function look(): Promise<string> {
  const at = new Date(START + ++days * DAY_MS)
  await makeCheckpoint(service.ctx, at)
  return at.toISOString()
}
const faults = async () => (await verifyLog(service.ctx, { given: [], keys: [] })).faults
const run = (sql: string) => service.ctx.db.query(sql)

test('work of every day, and what PostgreSQL does by itself, disturbs nothing', async () => {
  await look()
  await openShop(service.ctx)
  await run(`update sandbox.products set name = 'Green tea'`)
  for (const table of ['products', 'api_keys']) await run(`vacuum (freeze, analyze) sandbox.${table}`)
  await run('vacuum (freeze) pg_catalog.pg_trigger')
  await look()
  expect(await faults()).toEqual([])
})

/** All of it is possible for the role of the service, and after it every trigger runs again. */
const DISTURBED: Record<string, string> = {
  'a trigger was stopped and started again': `alter table sandbox.products disable trigger products_audited;
    update sandbox.products set amount_minor = 1; alter table sandbox.products enable trigger products_audited`,
  'a trigger was dropped and made again': `drop trigger passkeys_removed on kassa.passkeys;
    create trigger passkeys_removed after delete on kassa.passkeys
      for each row execute function kassa.note_revocation('passkey', 'id', '')`,
  'the function of the triggers was replaced for a while': `do $do$ declare before text := pg_get_functiondef('kassa.note_change()'::regprocedure);
    begin
      create or replace function kassa.note_change() returns trigger language plpgsql as 'begin return null; end';
      update sandbox.products set amount_minor = 2;
      set constraints all immediate;
      execute before;
    end $do$`,
  'a table was emptied, which no trigger for rows sees': 'truncate kassa.approval_limits',
  'a column was rewritten, which no trigger sees':
    'alter table sandbox.products alter column name type text using upper(name)',
}

test.each(Object.entries(DISTURBED))('%s between two looks: the next checkpoint shows it', async (_, sql) => {
  const earlier = await look()
  const known = (await faults()).map(({ message }) => message)
  await run(sql)
  const now = (await faults()).filter(({ message }) => !known.includes(message))
  expect(now).toMatchObject([{ kind: 'stopped', message: expect.stringContaining(`${earlier} and now`) }])
  const later = await look()
  const then = (await faults()).filter(({ message }) => !known.includes(message))
  expect(then).toMatchObject([{ message: expect.stringContaining(`${earlier} and that of ${later}`) }])
})

test('whoever changes what a checkpoint says of the triggers changes its signature', async () => {
  await look()
  const known = (await faults()).length
  await run(`update kassa.audit_checkpoints set watch = encode(sha256('x'), 'hex')
    where at = (select max(at) from kassa.audit_checkpoints)`)
  expect((await faults()).slice(known)).toContainEqual(
    expect.objectContaining({ kind: 'checkpoint', message: expect.stringContaining('wrong signature') }),
  )
})
