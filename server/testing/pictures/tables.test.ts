import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Db, openDb } from '../../storage/db.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { drawSchema } from './schema.ts'
import { readSchema } from './schema-facts.ts'
import { writeTables } from './tables.ts'

const GUIDE = fileURLToPath(new URL('../../guides/tables.md', import.meta.url))
const PICTURE = fileURLToPath(new URL('../../../public/schema.svg', import.meta.url))

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

test('the picture of the schema is up to date with the database (if this fails: npm run generate -- tables)', async () => {
  await expect(drawSchema(await readSchema(db))).toMatchFileSnapshot(PICTURE)
})

test('the picture of the schema cannot leave out a table, a foreign key to another family or what a table is for', async () => {
  const tables = await readSchema(db)
  const [first, ...others] = tables
  if (!first) throw new Error('no tables')
  expect(() => drawSchema([...tables, { ...first, name: 'extra' }])).toThrow('has no place for: kassa.extra.')
  expect(() => drawSchema(others)).toThrow(`what is no table: kassa.${first.name}.`)
  expect(() => drawSchema([{ ...first, about: '' }, ...others])).toThrow(`says nothing of: ${first.name}`)
  const leading = { ...first, refersTo: ['payments'] }
  expect(() => drawSchema([leading, ...others])).toThrow('no foreign key leads to a payment')
})
