import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Db, openDb } from '../../storage/db.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { writeRows } from './rows.ts'

const FILE = fileURLToPath(new URL('../../storage/rows.ts', import.meta.url))

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
  await expect(await writeRows(db)).toMatchFileSnapshot(FILE)
})
