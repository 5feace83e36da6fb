import { fileURLToPath } from 'node:url'
import { expect, inject, test } from 'vitest'
import { openDb } from '../../storage/db.ts'
import { createTestDatabase } from '../database.ts'
import { writeTables } from './tables.ts'

const GUIDE = fileURLToPath(new URL('../../guides/tables.md', import.meta.url))

test('the guide to the tables is up to date with the database (if this fails: npm run tables)', async () => {
  const database = await createTestDatabase(inject('postgresUrl'), 'live')
  const db = openDb(database.url, { world: 'sandbox' })
  const text = await writeTables(db)
  await db.end()
  await database.drop()
  await expect(text).toMatchFileSnapshot(GUIDE)
})
