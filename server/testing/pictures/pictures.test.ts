import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Db, openDb } from '../../storage/db.ts'
import { DECLARED, writeCosts } from '../attacks/costs.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { writeRows } from './rows.ts'
import { README, withStatuses } from './statuses.ts'
import { writeTables } from './tables.ts'

const ROWS = fileURLToPath(new URL('../../storage/rows.ts', import.meta.url))
const GUIDES = new URL('../../guides/', import.meta.url)

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase(inject('postgresUrl'), 'live')
  db = openDb(database.url, { world: 'sandbox' })
})
afterAll(async () => {
  await db.end()
  await database.drop()
})

test('the types of rows are those of the database (if this fails: npm run generate -- tables)', async () => {
  await expect(await writeRows(db)).toMatchFileSnapshot(ROWS)
})

test('the guide to the tables is up to date with the database (if this fails: npm run generate -- tables)', async () => {
  await expect(await writeTables(db)).toMatchFileSnapshot(fileURLToPath(new URL('tables.md', GUIDES)))
})

test('the guide to costs has what every endpoint and page declares (if this fails: npm run generate -- tables)', async () => {
  expect(DECLARED.length).toBeGreaterThan(45)
  await expect(writeCosts()).toMatchFileSnapshot(fileURLToPath(new URL('costs.md', GUIDES)))
})

test('the diagram of the payment statuses is up to date with the status table (if this fails: npm run generate -- states)', async () => {
  const stored = await readFile(README, 'utf8')
  expect(stored).toContain('  expired --> paid: provider')
  expect(stored).toBe(await withStatuses())
})
