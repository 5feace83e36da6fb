import { expect, inject, test } from 'vitest'
import { createTestDatabase } from '../testing/database.ts'
import { describedTables } from '../testing/pictures/tables.ts'
import { openDb } from './db.ts'

test('the README lists every table of the database by schema, and no other', async () => {
  const database = await createTestDatabase(inject('postgresUrl'), 'live')
  const db = openDb(database.url, { world: 'sandbox' })
  const { rows } = await db.query<{ schema: string; name: string }>(
    `select table_schema as schema, table_name as name from information_schema.tables
     where table_schema not in ('pg_catalog', 'information_schema', 'sandbox_jobs', 'live_jobs')`,
  )
  await db.end()
  await database.drop()
  const tablesOf = (schema: string) =>
    rows
      .filter((row) => row.schema === schema)
      .map(({ name }) => name)
      .sort()
  expect([...describedTables('kassa').keys()].sort()).toEqual(tablesOf('kassa'))
  expect([...describedTables('sandbox').keys()].sort()).toEqual(tablesOf('sandbox'))
  expect(tablesOf('live')).toEqual(tablesOf('sandbox'))
  expect(new Set(rows.map(({ schema }) => schema))).toEqual(
    new Set(['kassa', 'kassa_audit', 'sandbox', 'live']),
  )
  for (const line of [...describedTables('kassa').values(), ...describedTables('sandbox').values()])
    expect(line).toMatch(/\w{3}/)
})

test('no foreign key leads from one world to the other, or out of what both share', async () => {
  const database = await createTestDatabase(inject('postgresUrl'), 'live')
  const db = openDb(database.url, { world: 'sandbox' })
  const { rows } = await db.query<{ from: string; to: string }>(
    `select distinct source.nspname as "from", target.nspname as "to" from pg_constraint c
     join pg_class s on s.oid = c.conrelid join pg_namespace source on source.oid = s.relnamespace
     join pg_class t on t.oid = c.confrelid join pg_namespace target on target.oid = t.relnamespace
     where c.contype = 'f' and source.nspname in ('kassa', 'sandbox', 'live')`,
  )
  await db.end()
  await database.drop()
  const crossing = rows.filter(({ from, to }) => from !== to && !(from !== 'kassa' && to === 'kassa'))
  expect([crossing, rows.length]).toEqual([[], 5])
})

test('every table has a primary key, by which a move finds the rows that were written meanwhile', async () => {
  const database = await createTestDatabase(inject('postgresUrl'), 'live')
  const db = openDb(database.url, { world: 'sandbox' })
  const { rows } = await db.query<{ name: string }>(
    `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname in ('kassa', 'sandbox', 'live')
       and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
  )
  await db.end()
  await database.drop()
  expect(rows).toEqual([])
})
