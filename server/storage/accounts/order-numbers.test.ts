/** The numbers that an earlier version gave out are not given out again after the upgrade. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { type Db, inWorld, openDb } from '../db.ts'
import { joinOrderNumbers, takeOrderNumber } from './order-numbers.ts'

const MIGRATION = new URL('../migrations/world/0057_used_numbers.sql', import.meta.url)

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase(inject('postgresUrl'))
  db = openDb(database.url, { world: 'sandbox' })
})
afterAll(async () => {
  await db.end()
  await database.drop()
})

async function addAccount(
  id: string,
  route: string,
  identity: string,
  settings: object,
  last: number | null,
) {
  await db.query(
    `insert into sandbox.accounts (id, route, driver, currencies, settings, identity, shared, active_from)
     values ($1, $2, 'ameria', '{AMD}', $3, $4, true, now())`,
    [id, route, settings, identity],
  )
  if (last !== null)
    await db.query('insert into sandbox.order_numbers (account_id, last_number) values ($1, $2)', [id, last])
}

test('an upgrade carries the numbers over, of all accounts of a contract together', async () => {
  await db.query('drop table sandbox.used_numbers')
  await addAccount('acc_test_1', 'route_a', 'one', { FIRST_NUMBER: '2000001' }, 5)
  await addAccount('acc_test_2', 'route_b', 'one', { FIRST_NUMBER: '2000004' }, 7)
  await addAccount('acc_test_3', 'route_c', 'other', { FIRST_NUMBER: '2000001' }, 1)
  await addAccount('acc_test_4', 'route_d', 'unused', { FIRST_NUMBER: '2000001' }, null)
  await addAccount('acc_test_5', 'route_e', 'without', {}, 3)
  await db.query(inWorld(await readFile(MIGRATION, 'utf8'), 'sandbox'))
  const { rows } = await db.query('select account_id as id, used::text from sandbox.used_numbers order by 1')
  expect(rows).toEqual([
    { id: 'acc_test_1', used: '{[2000001,2000011)}' },
    { id: 'acc_test_3', used: '{[2000001,2000002)}' },
  ])
  const take = async (id: string, first: number, last: number) =>
    (await takeOrderNumber(db, id, { first, last }))?.number ?? null
  expect(await take('acc_test_1', 2_000_001, 2_000_011)).toBe(2_000_011)
  expect(await take('acc_test_1', 2_000_001, 2_000_011)).toBeNull()
  expect(await take('acc_test_3', 2_000_001, 2_000_011)).toBe(2_000_002)
})

test('accounts that were counted apart are counted together from now on, and none of their numbers is given out again', async () => {
  const range = { first: 5_000_001, last: 5_000_100 }
  const take = async (id: string) => (await takeOrderNumber(db, id, range))?.number
  await take('acc_test_6')
  for (let times = 0; times < 3; times++) await take('acc_test_7')
  await Promise.all(Array.from({ length: 4 }, () => joinOrderNumbers(db, 'acc_test_6', ['acc_test_7'])))
  expect(await take('acc_test_6')).toBe(5_000_004)
  await joinOrderNumbers(db, 'acc_test_5', ['acc_test_6', 'acc_test_7'])
  expect(await take('acc_test_5')).toBe(5_000_005)
  expect(await take('acc_test_7')).toBe(5_000_001)
})
