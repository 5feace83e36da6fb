/** The audit log in a database whose role is not guarded yet, and the statements of the guide. */
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { runAsSuperuser } from '../../postgres/role.ts'
import { openService } from '../../service.ts'
import { createEmptyDatabase, createTestDatabase } from '../../testing/database.ts'
import { SECRETS_KEY } from '../../testing/harness.ts'
import { inTransaction, openDb } from '../db.ts'
import { GUARD_FUNCTION, guardAudit } from './guard.ts'
import { appendAudit, findAuditGuard, readAuditChain } from './log.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-guard-'))
  await chmod(folder, 0o755)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const CHANGE = "update kassa.audit_log set who = 'somebody'"
const act = (id: string) => ({ id, who: 'ani', operator: null, from: 'host test', what: 'test' })
const row = { world: null, merchantId: null, about: '' }

test('the embedded PostgreSQL gives the log to another role at its first start', async () => {
  const lines: string[] = []
  const config = readConfig({ MODE: 'sandbox', SECRETS_KEY, LOG_LEVEL: 'silent', DATA_DIR: folder })
  const service = await openService(config, { onProgress: (line) => lines.push(line) })
  const { db } = service.ctx
  expect(await findAuditGuard(db)).toMatchObject({ isGuarded: true, isSuperuser: false })
  expect(lines.filter((line) => line.startsWith('Warning'))).toEqual([])
  await inTransaction(db, (tx) => appendAudit(tx, act('one'), row))
  await expect(db.query(CHANGE)).rejects.toMatchObject({ code: '42501' })
  await expect(db.query('set role kassa_audit')).rejects.toMatchObject({ code: '42501' })
  // The service's role may still build the schema anew, as a restore does.
  await db.query('begin; drop schema kassa cascade; rollback')
  // A superuser can change a row, after switching the trigger off. Only the chain shows it.
  await runAsSuperuser(
    folder,
    db.options.connectionString ?? '',
    `set session_replication_role = replica; ${CHANGE}`,
  )
  expect((await readAuditChain(db, 0, 1_000)).every(({ who }) => who === 'somebody')).toBe(true)
  await service.close()
})

test('where no role can be made, a start says so, and the log works with a trigger that its owner could switch off', async () => {
  const database = await createEmptyDatabase(inject('postgresUrl'))
  const lines: string[] = []
  const config = readConfig({
    MODE: 'sandbox',
    SECRETS_KEY,
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.url,
    DATA_DIR: folder,
  })
  const service = await openService(config, { onProgress: (line) => lines.push(line) })
  expect(lines.filter((line) => line.startsWith('Warning'))).toEqual([
    expect.stringMatching(/owns the audit log.*Another owner for the audit log/),
  ])
  const { db } = service.ctx
  await inTransaction(db, (tx) => appendAudit(tx, act('one'), row))
  await expect(db.query(CHANGE)).rejects.toMatchObject({ code: '42501' })
  await expect(db.query('truncate kassa.audit_log')).rejects.toMatchObject({ code: '42501' })
  await service.close()
  await database.drop()
})

test('two processes that append at once leave one chain without gaps', async () => {
  const database = await createTestDatabase(inject('postgresUrl'), 'live')
  const pools = (['sandbox', 'live'] as const).map((world) => openDb(database.url, { world, max: 8 }))
  const acts = pools.flatMap((db, pool) =>
    Array.from({ length: 60 }, (_, index) =>
      inTransaction(db, (tx) => appendAudit(tx, act(`${pool}-${index}`), { ...row, world: db.world })),
    ),
  )
  await Promise.all(acts)
  const chain = await readAuditChain(pools[0] as never, 0, 1_000)
  expect(chain).toHaveLength(120)
  chain.forEach(({ seq, previous }, index) => {
    expect(seq).toBe(index + 1)
    expect(previous).toBe(chain[index - 1]?.digest ?? '')
  })
  await Promise.all(pools.map((db) => db.end()))
  await database.drop()
})

test('the guide and the containers have the function, and guarding twice changes nothing', async () => {
  const guide = readFileSync(new URL('../../guides/deploying.md', import.meta.url), 'utf8')
  const compose = readFileSync(new URL('../../deploy/database.sql', import.meta.url), 'utf8')
  for (const text of [guide, compose]) expect(text).toContain(GUARD_FUNCTION)
  const database = await createTestDatabase(inject('postgresUrl'))
  const db = openDb(database.url, { world: 'sandbox' })
  expect(await guardAudit(db)).toMatchObject({ isGuarded: true })
  await db.end()
  await database.drop()
})
