import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Db, openDb } from '../../storage/db.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { writeTables } from './tables.ts'

const GUIDE = fileURLToPath(new URL('../../guides/tables.md', import.meta.url))

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

test('the guide to the tables is up to date with the database (if this fails: npm run generate -- tables)', async () => {
  await expect(await writeTables(db)).toMatchFileSnapshot(GUIDE)
})
