/** Creates a database for each test file by copying a migrated template. One template has only the sandbox, the other both worlds. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { World } from '../contract/health.ts'
import { guardAudit } from '../storage/audit/guard.ts'
import { GUARD_SETUP } from '../storage/audit/guard-setup.ts'
import { openDb } from '../storage/db.ts'
import { migrate } from '../storage/migrate.ts'
import { KEPT_SETUP } from './kept-setup.ts'

const TEMPLATES: Record<World, string> = { sandbox: 'kassa_test_template', live: 'kassa_test_template_live' }

/** Of databases that are emptied and used again. */
const KEPT_TEMPLATES: Record<World, string> = { sandbox: 'kassa_test_kept', live: 'kassa_test_kept_live' }

/** Empty, but for the place of a guarded audit log. */
const PREPARED = 'kassa_test_template_prepared'

function at(url: string, database: string): string {
  const address = new URL(url)
  address.pathname = `/${database}`
  return address.href
}

/** Returns the address for clients on this machine. `folder`: of the server's Unix socket. */
export function throughSocket(databaseUrl: string, folder: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('host', folder)
  return url.href
}

/** Returns the address on TCP, for a test that puts something between the service and its database. */
export function throughTcp(databaseUrl: string): URL {
  const url = new URL(databaseUrl)
  url.searchParams.delete('host')
  return url
}

/** Connections of this process to the maintenance databases. To open one costs a server half as much as to copy a template. */
const maintenance = new Map<string, pg.Pool>()

function openMaintenance(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
  // The server of the tests stops before their processes. The pool then opens another connection for the next statement.
  pool.on('error', () => {})
  maintenance.set(connectionString, pool)
  return pool
}

async function maintain(url: string, ...statements: string[]): Promise<void> {
  const pool = maintenance.get(url) ?? openMaintenance(url)
  for (const text of statements) await pool.query(text)
}

/** The templates are created again for each run, so that they have the current schema. `asSuperuser`: gives the audit log to its role. */
export async function makeTemplates(
  url: string,
  asSuperuser?: (url: string, statements: string) => Promise<void>,
): Promise<void> {
  const { sandbox, live } = TEMPLATES
  for (const name of [sandbox, live, PREPARED, ...Object.values(KEPT_TEMPLATES)])
    await maintain(url, `drop database if exists ${name} with (force)`)
  await maintain(url, `create database ${sandbox}`)
  await migrateTemplate(at(url, sandbox), ['sandbox'], asSuperuser)
  await maintain(url, `create database ${live} template ${sandbox}`)
  await maintain(url, `create database ${PREPARED}`)
  if (asSuperuser) await asSuperuser(at(url, PREPARED), GUARD_SETUP)
  await migrateTemplate(at(url, live), ['sandbox', 'live'])
  for (const world of ['sandbox', 'live'] as const) {
    await maintain(url, `create database ${KEPT_TEMPLATES[world]} template ${TEMPLATES[world]}`)
    if (asSuperuser) await asSuperuser(at(url, KEPT_TEMPLATES[world]), KEPT_SETUP)
  }
}

async function migrateTemplate(
  url: string,
  worlds: World[],
  asSuperuser?: (url: string, statements: string) => Promise<void>,
): Promise<void> {
  const db = openDb(url, { world: 'sandbox' })
  await migrate(db, worlds)
  if (asSuperuser) await guardAudit(db, (statements) => asSuperuser(url, statements))
  await db.end()
}

const DROP_TRIES = 20
const NOT_PERMITTED = '42501'

/** PostgreSQL's autovacuum may be working in the database. Our role may not end it, so this waits for it. */
async function dropDatabase(url: string, name: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await maintain(url, `drop database if exists ${name} with (force)`)
    } catch (error) {
      if ((error as { code?: string }).code !== NOT_PERMITTED || tries === DROP_TRIES) throw error
      await sleep(250)
    }
  }
}

export type TestDatabase = { url: string; drop(): Promise<void> }

/** Copying the files takes a third of the time of logging every page of the template. */
const COPIED = 'strategy file_copy'

/** Creates an empty database, as an operator does. */
export async function createEmptyDatabase(postgresUrl: string): Promise<TestDatabase> {
  const name = `kassa_empty_${randomUUID().replaceAll('-', '')}`
  await maintain(postgresUrl, `create database ${name} ${COPIED}`)
  return {
    url: at(postgresUrl, name),
    drop: () => dropDatabase(postgresUrl, name),
  }
}

/** The same, after somebody else than the service's role has prepared it for the audit log. */
export async function createPreparedDatabase(postgresUrl: string): Promise<TestDatabase> {
  const name = `kassa_prepared_${randomUUID().replaceAll('-', '')}`
  await maintain(postgresUrl, `create database ${name} template ${PREPARED} ${COPIED}`)
  return { url: at(postgresUrl, name), drop: () => dropDatabase(postgresUrl, name) }
}

/** `mode`: the mode of the deployment. With `live` the database has both worlds. */
export function createTestDatabase(postgresUrl: string, mode: World = 'sandbox'): Promise<TestDatabase> {
  return copyTemplate(postgresUrl, TEMPLATES[mode])
}

/** The same, and it can be emptied. Only on a server that was given it cannot. */
export function createKeptDatabase(postgresUrl: string, mode: World): Promise<TestDatabase> {
  return copyTemplate(postgresUrl, KEPT_TEMPLATES[mode])
}

async function copyTemplate(postgresUrl: string, template: string): Promise<TestDatabase> {
  const name = `kassa_test_${randomUUID().replaceAll('-', '')}`
  await maintain(postgresUrl, `create database ${name} template ${template} ${COPIED}`)
  return {
    url: at(postgresUrl, name),
    drop: () => dropDatabase(postgresUrl, name),
  }
}
