/** A database of its own for each test file, copied from a migrated template. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { openDb } from '../storage/db.ts'
import { migrate } from '../storage/migrate.ts'

const TEMPLATE = 'kassa_test_template'

function at(url: string, database: string): string {
  const address = new URL(url)
  address.pathname = `/${database}`
  return address.href
}

async function maintain(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const text of statements) await client.query(text)
  } finally {
    await client.end()
  }
}

/** Made anew for each run, so that it has this build's schema. */
export async function makeTemplate(url: string): Promise<void> {
  await maintain(url, `drop database if exists ${TEMPLATE} with (force)`, `create database ${TEMPLATE}`)
  const db = openDb(at(url, TEMPLATE), { world: 'sandbox' })
  await migrate(db, ['sandbox', 'live'])
  await db.end()
}

export type TestDatabase = { url: string; drop(): Promise<void> }

export async function createTestDatabase(postgresUrl: string): Promise<TestDatabase> {
  const name = `kassa_test_${randomUUID().replaceAll('-', '')}`
  // Copying files costs a third of what logging every page of the template does.
  await maintain(postgresUrl, `create database ${name} template ${TEMPLATE} strategy file_copy`)
  return {
    url: at(postgresUrl, name),
    drop: () => maintain(postgresUrl, `drop database if exists ${name} with (force)`),
  }
}
