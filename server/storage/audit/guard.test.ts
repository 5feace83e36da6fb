/** The audit log and its other owner: on an embedded PostgreSQL, and on one of an operator's own, with roles that are no superusers. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { runAsSuperuser } from '../../postgres/role.ts'
import { openService } from '../../service.ts'
import { createEmptyDatabase, createTestDatabase } from '../../testing/database.ts'
import { FILES, withStatements } from '../../testing/documents/audit-sql.ts'
import { SECRETS_KEY } from '../../testing/harness.ts'
import { findProgram } from '../../testing/pooler.ts'
import { openOwnedServer, startTestServer, type TestServer } from '../../testing/superuser.ts'
import { type Db, inTransaction, openDb } from '../db.ts'
import { migrate } from '../migrate.ts'
import { guardAudit } from './guard.ts'
import { GUARD_SETUP } from './guard-setup.ts'
import { appendAudit, readAuditChain } from './log.ts'
import { findAuditGuard } from './place.ts'
import { listStoppedTriggers, SHARED_TRIGGERS, WORLD_TRIGGERS } from './watched.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-guard-'))
  await chmod(folder, 0o755)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const CHANGE = "update kassa_audit.log set who = 'somebody'"
const act = (id: string) => ({ id, who: 'ani', operator: null, from: 'host test', what: 'test' })
const row = { world: null, merchantId: null, about: '' }
const append = (db: Db, id: string) => inTransaction(db, (tx) => appendAudit(tx, act(id), row))
const settings = (given: Record<string, string>) =>
  readConfig({ MODE: 'sandbox', SECRETS_KEY, LOG_LEVEL: 'silent', DATA_DIR: folder, ...given })

/** Attacks by somebody who has the role of the service. */
const ATTACKS = [
  'drop schema kassa_audit cascade',
  'drop table kassa_audit.log cascade',
  'alter table kassa_audit.log rename to older',
  'alter schema kassa_audit rename to older',
  'create table kassa_audit.other (seq bigint)',
  'alter table kassa_audit.log disable trigger all',
  'delete from kassa_audit.log',
  'truncate kassa_audit.log',
  "insert into kassa_audit.log (seq, at, who, origin, what, about, previous, digest) values (99, now(), '', '', '', '', '', '')",
  'drop function kassa_audit.append(jsonb, text, text, text, text, text)',
  "create or replace function kassa_audit.append(jsonb, text, text, text, text, text) returns void language sql as 'select'",
  `select kassa_audit.adopt('[{"seq": 1, "at": "2026-01-01", "who": "x", "origin": "x", "what": "x", "about": "x", "previous": "", "digest": ""}]')`,
  "select kassa_audit.append(null, null, null, 'restore', null, '{}')",
  CHANGE,
]

async function expectRefused(db: Db, owner: string): Promise<void> {
  for (const attack of ATTACKS)
    await expect(db.query(attack), attack).rejects.toMatchObject({ code: '42501' })
  await expect(db.query(`set role ${owner}`)).rejects.toMatchObject({ code: '42501' })
}

test('the embedded PostgreSQL gives the log to another role at its first start, and the role of the service cannot make it anew', {
  tags: ['long'],
}, async () => {
  const lines: string[] = []
  const service = await openService(settings({}), { onProgress: (line) => lines.push(line) })
  const { db } = service.ctx
  expect(await findAuditGuard(db)).toMatchObject({
    isGuarded: true,
    isSuperuser: false,
    owner: 'kassa_audit',
  })
  expect(lines.filter((line) => line.startsWith('Warning'))).toEqual([])
  await append(db, 'one')
  await expectRefused(db, 'kassa_audit')
  const before = await readAuditChain(db, 0, 1_000)
  // The schema of the service is its own. The log is not in it.
  await db.query(
    'drop view kassa.audit_log; create table kassa.audit_log as select * from kassa_audit.log where false',
  )
  expect(await readAuditChain(db, 0, 1_000)).toEqual(before)
  await append(db, 'two')
  expect((await readAuditChain(db, 0, 1_000)).map((each) => each.act).slice(-2)).toEqual(['one', 'two'])
  // A superuser can change a row, after switching the trigger off. Only the chain shows it.
  await runAsSuperuser(
    folder,
    db.options.connectionString ?? '',
    `set session_replication_role = replica; ${CHANGE}`,
  )
  expect((await readAuditChain(db, 0, 1_000)).every(({ who }) => who === 'somebody')).toBe(true)
  await service.close()
})

test('where nobody has prepared the database, a start says so, and the log works with a trigger that its owner could switch off', async () => {
  const database = await createEmptyDatabase(inject('postgresUrl'))
  const lines: string[] = []
  const service = await openService(settings({ DATABASE_URL: database.url }), {
    onProgress: (line) => lines.push(line),
  })
  expect(lines.filter((line) => line.startsWith('Warning'))).toEqual([
    expect.stringMatching(/owns the audit log.*Another owner for the audit log/),
  ])
  const { db } = service.ctx
  await append(db, 'one')
  await expect(db.query("update kassa.audit_log set who = 'x'")).rejects.toMatchObject({ code: '42501' })
  await expect(db.query('truncate kassa.audit_log')).rejects.toMatchObject({ code: '42501' })
  await service.close()
  await database.drop()
})

describe('on a PostgreSQL of an operator', () => {
  let server: TestServer
  /** A database of the service's role, with the schema and some rows, as the version before has left it. The others are copies. */
  const LEFT = 'left_by_the_version_before'
  beforeAll(async () => {
    server = await openOwnedServer()
    await prepare()
  })
  afterAll(() => server.close())

  async function prepare(): Promise<void> {
    await asSuperuser(`create role dba login createrole password 'dba'; create role plain login password 'plain';
      create role shop login password 'shop'`)
    await asSuperuser(`create database ${LEFT} owner shop`)
    const db = openDb(urlOf('shop', LEFT), { world: 'sandbox' })
    await migrate(db, ['sandbox'])
    for (const id of ['one', 'two', 'three']) await append(db, id)
    await db.end()
  }

  const asSuperuser = (statements: string, name = 'postgres') => {
    const url = new URL(server.url)
    url.pathname = `/${name}`
    return server.asSuperuser(url.href, statements)
  }
  const urlOf = (role: string, name: string) => {
    const url = new URL(server.url)
    return Object.assign(url, { username: role, password: role, pathname: `/${name}` }).href
  }

  async function run(role: string, name: string, sql: string): Promise<void> {
    const client = new Client({ connectionString: urlOf(role, name) })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }

  async function openShopDatabase(name: string): Promise<Db> {
    await asSuperuser(`create database ${name} template ${LEFT} owner shop strategy file_copy`)
    return openDb(urlOf('shop', name), { world: 'sandbox' })
  }

  // The first may create roles, so it needs a server of which nobody has created this one. The other then owns the log itself.
  for (const [role, owner] of [
    ['dba', 'kassa_audit'],
    ['plain', 'plain'],
  ] as const)
    test(`${role} prepares the database without being a superuser: the owner is ${owner}`, {
      tags: role === 'dba' ? ['long'] : [],
    }, async () => {
      if (role === 'dba') {
        const shared = server
        server = await startTestServer()
        onTestFinished(async () => {
          await server.close()
          server = shared
        })
        await prepare()
      }
      const db = await openShopDatabase(`guarded_by_${role}`)
      const name = `guarded_by_${role}`
      const before = await readAuditChain(db, 0, 1_000)
      expect((await findAuditGuard(db)).isGuarded).toBe(false)
      await expect(run(role, name, GUARD_SETUP)).rejects.toThrow('may not create a schema in this database')
      await db.query(`grant create on database ${name} to ${role}`)
      await run(role, name, GUARD_SETUP)
      // Twice is harmless, before and after the rows have moved.
      await run(role, name, GUARD_SETUP)
      expect(await guardAudit(db)).toMatchObject({ isGuarded: true, owner })
      expect(await readAuditChain(db, 0, 1_000)).toEqual(before)
      await run(role, name, GUARD_SETUP)
      await append(db, 'four')
      const after = await readAuditChain(db, 0, 1_000)
      expect(after.slice(0, 3)).toEqual(before)
      expect(after[3]).toMatchObject({ seq: 4, act: 'four', previous: before[2]?.digest })
      await expectRefused(db, owner)
      // The version before goes on under the names that it knows.
      await db.query('select kassa.append_audit(\'{"id": "five"}\', null, null, \'old\', null, null)')
      const { rows } = await db.query('select act from kassa.audit_log order by seq desc limit 1')
      expect(rows).toEqual([{ act: 'five' }])
      await db.end()
    })

  test('the role of the service itself, and a member of the owner, are refused', async () => {
    const db = await openShopDatabase('refused')
    await expect(db.query(GUARD_SETUP)).rejects.toThrow('may not own the audit log')
    await db.end()
  })

  test('a role that owns a schema with this name already does not make the log guarded', async () => {
    const db = await openShopDatabase('taken')
    await db.query('create schema kassa_audit; create table kassa_audit.log as select * from kassa.audit_log')
    expect((await findAuditGuard(db)).isGuarded).toBe(false)
    await asSuperuser('grant create on database taken to dba')
    await expect(run('dba', 'taken', GUARD_SETUP)).rejects.toThrow('may not own the audit log')
    await db.end()
  })

  test('processes that start at once move the rows once', async () => {
    const db = await openShopDatabase('at_once')
    const other = openDb(urlOf('shop', 'at_once'), { world: 'sandbox' })
    await asSuperuser(GUARD_SETUP, 'at_once')
    const found = await Promise.all([guardAudit(db), guardAudit(other), guardAudit(db)])
    expect(found.map(({ isGuarded }) => isGuarded)).toEqual([true, true, true])
    expect(await readAuditChain(db, 0, 10)).toHaveLength(3)
    await Promise.all([db.end(), other.end()])
  })

  test('psql runs the file of the deployment', async () => {
    const psql = findProgram('psql')
    if (!psql) return console.error('The file audit.sql was not run: psql is not installed.')
    const db = await openShopDatabase('by_file')
    await db.query('grant create on database by_file to plain')
    const file = new URL('../../deploy/audit.sql', import.meta.url).pathname
    execFileSync(psql, [
      '--no-psqlrc',
      '--quiet',
      '--set=ON_ERROR_STOP=1',
      '--file',
      file,
      urlOf('plain', 'by_file'),
    ])
    expect(await guardAudit(db)).toMatchObject({ isGuarded: true, owner: 'plain' })
    await db.end()
  })
})

test('two processes that append at once leave one chain without gaps', async () => {
  const database = await createTestDatabase(inject('postgresUrl'), 'live')
  const sandbox = openDb(database.url, { world: 'sandbox', max: 8 })
  const live = openDb(database.url, { world: 'live', max: 8 })
  const acts = [sandbox, live].flatMap((db) =>
    Array.from({ length: 60 }, (_, index) =>
      inTransaction(db, (tx) => appendAudit(tx, act(`${db.world}-${index}`), { ...row, world: db.world })),
    ),
  )
  await Promise.all(acts)
  const chain = await readAuditChain(sandbox, 0, 1_000)
  expect(chain).toHaveLength(120)
  chain.forEach(({ seq, previous }, index) => {
    expect(seq).toBe(index + 1)
    expect(previous).toBe(chain[index - 1]?.digest ?? '')
  })
  await Promise.all([sandbox.end(), live.end()])
  await database.drop()
})

test('the guide and the files of the deployment have the statements of today', () => {
  for (const file of FILES) {
    const text = readFileSync(file, 'utf8')
    expect(text, `${file}: npm run generate -- audit`).toBe(withStatements(text))
  }
})

test('settling twice changes nothing', async () => {
  const database = await createTestDatabase(inject('postgresUrl'))
  const db = openDb(database.url, { world: 'sandbox' })
  expect(await guardAudit(db)).toMatchObject({ isGuarded: true })
  await db.end()
  await database.drop()
})

test('every trigger that the log and the revocations need is watched, and a stopped one is named', async () => {
  const database = await createTestDatabase(inject('postgresUrl'))
  const db = openDb(database.url, { world: 'sandbox' })
  const { rows } = await db.query<{ schema: string; name: string }>(
    `select n.nspname as schema, t.tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
       join pg_namespace n on n.oid = c.relnamespace join pg_proc p on p.oid = t.tgfoid
     where n.nspname in ('kassa', 'sandbox') and p.proname in ('note_change', 'note_money', 'note_revocation', 'note_replaced')`,
  )
  const namesIn = (schema: string) =>
    rows
      .filter((each) => each.schema === schema)
      .map(({ name }) => name)
      .sort()
  expect(namesIn('kassa')).toEqual([...SHARED_TRIGGERS].sort())
  expect(namesIn('sandbox')).toEqual([...WORLD_TRIGGERS].sort())
  expect(await listStoppedTriggers(db)).toEqual([])
  await db.query(
    'alter table sandbox.products disable trigger products_audited; drop trigger operators_removed on kassa.operators',
  )
  expect(await listStoppedTriggers(db)).toEqual(['kassa.operators_removed', 'sandbox.products_audited'])
  await db.end()
  await database.drop()
})
