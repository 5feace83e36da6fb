/** Totals of one shop. That totals add up to the entries in random histories is a rule of those histories. */
import { expect, test } from 'vitest'
import { inTransaction, openDb } from '../storage/db.ts'
import { createSession, sessionRequest } from '../testing/calls.ts'
import { openShop, type Shop } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { openScene } from '../testing/scene.ts'
import { getTotals } from './totals.ts'

const { kassa, shop } = await openScene({ isNew: true })

type Booked = { kind: string; amount: number; at: string; feeMinor?: number }

let orders = 0

/** A payment whose entries were booked at these times. The sums of its attempt follow, as the database wants them to. */
async function book(owner: Shop, entries: Booked[]): Promise<{ account: string }> {
  const request = sessionRequest({ provider: 'route_a', merchantOrderId: `order-${++orders}` })
  const { body } = await createSession(kassa.url, owner, { body: request })
  const sum = (kind: string) =>
    entries.reduce((total, each) => (each.kind === kind ? total + each.amount : total), 0)
  const [taken, refunded] = [sum('taken'), sum('refunded')]
  const feeMinor = entries.find((each) => each.feeMinor !== undefined)?.feeMinor
  const names = [owner.merchantId, body.id]
  return inTransaction(kassa.ctx.db, async (tx) => {
    await tx.query(
      `insert into sandbox.entries (merchant_id, payment_id, attempt, number, kind, amount_minor, currency, proof, created_at)
       select $1, $2, 1, position, kind, amount, 'USD', 'test', at
       from rows from (jsonb_to_recordset($3::jsonb) as (kind text, amount bigint, at timestamptz)) with ordinality
         as input(kind, amount, at, position)`,
      [...names, JSON.stringify(entries)],
    )
    await tx.query(
      `update sandbox.payments set authorized_minor = $3, captured_minor = $3, version = version + 1, status = 'paid'
       where merchant_id = $1 and id = $2`,
      [...names, taken],
    )
    if (refunded > 0)
      await tx.query(
        `update sandbox.payments set refunded_minor = $3, version = version + 1, status = 'partially_refunded'
         where merchant_id = $1 and id = $2`,
        [...names, refunded],
      )
    const { rows } = await tx.query(
      `update sandbox.attempts set state = 'paid', authorized_minor = $3, captured_minor = $3, refunded_minor = $4,
         facts = $5 where merchant_id = $1 and payment_id = $2 returning account_id as account`,
      [...names, taken, refunded, JSON.stringify({ feeMinor })],
    )
    return rows[0]
  })
}

async function totals(...args: string[]) {
  const { stdout } = await operateHere(async () => kassa.ctx, ['report', 'totals', ...args, '--json'])
  return JSON.parse(stdout)
}
const DAYS = ['--by', 'day', '--since', '2026-03-01', '--until', '2026-03-31']

test('a day is a day of the merchant’s own time zone', async () => {
  const abroad = await openShop(kassa.ctx)
  const brand = ['merchant', 'brand', '--merchant', abroad.merchantId, '--time-zone', 'America/New_York']
  expect((await operateHere(async () => kassa.ctx, brand)).code).toBe(0)
  // The 10th in Yerevan since 20:00 UTC, and the 9th in New York until 04:00 UTC.
  for (const owner of [shop, abroad])
    await book(owner, [{ kind: 'taken', amount: 1500, at: '2026-03-09T22:00:00Z' }])
  const days = async ({ merchantId }: Shop) =>
    (await totals(...DAYS, '--merchant', merchantId)).totals.map(
      ({ period, timeZone, takenMinor }: Record<string, unknown>) => [period, timeZone, takenMinor],
    )
  expect(await days(shop)).toEqual([['2026-03-10', 'Asia/Yerevan', 1500]])
  expect(await days(abroad)).toEqual([['2026-03-09', 'America/New_York', 1500]])
  // The bounds are days of that zone too.
  const only = ['--by', 'day', '--since', '2026-03-10', '--until', '2026-03-10']
  expect((await totals(...only)).totals.map((each: { merchantId: string }) => each.merchantId)).toEqual([
    shop.merchantId,
  ])
})

test('months are whole, a refund counts when it was booked, and a fee counts once', async () => {
  const owner = await openShop(kassa.ctx)
  const { account } = await book(owner, [
    { kind: 'taken', amount: 1000, at: '2026-01-15T12:00:00Z', feeMinor: 59 },
    { kind: 'taken', amount: 500, at: '2026-01-16T12:00:00Z' },
    { kind: 'refunded', amount: 300, at: '2026-02-02T12:00:00Z' },
  ])
  await book(owner, [{ kind: 'taken', amount: 200, at: '2026-01-31T12:00:00Z' }])
  const range = ['--since', '2026-01-20', '--until', '2026-02-03', '--merchant', owner.merchantId]
  const { totals: months, since, until } = await totals('--by', 'month', ...range)
  expect([since, until]).toEqual(['2026-01-01', '2026-02-28'])
  expect(months).toMatchObject([
    { period: '2026-01', takenMinor: 1700, givenBackMinor: 0, feeMinor: 59, takings: 2, takingsWithFee: 1 },
    { period: '2026-02', takenMinor: 0, givenBackMinor: 300, feeMinor: 0, takings: 0 },
  ])
  const narrow = async (...more: string[]) => (await totals('--by', 'month', ...range, ...more)).totals.length
  expect(await narrow('--account', account, '--currency', 'USD')).toBe(2)
  expect(await narrow('--currency', 'EUR')).toBe(0)
  expect(await narrow('--account', 'acc_other')).toBe(0)
})

test('the text says whose fees are unknown, and a wrong range says what to change', async () => {
  const run = (...args: string[]) => operateHere(async () => kassa.ctx, ['report', 'totals', ...args])
  const { stdout } = await run(...DAYS)
  expect(stdout).toContain('15.00 USD')
  expect(stdout).toContain('The fee of 2 of 2 payments is not known.')
  const swapped = await run('--by', 'day', '--since', '2026-03-02', '--until', '2026-03-01')
  expect([swapped.code, swapped.stderr]).toEqual([1, expect.stringContaining('Swap them.')])
  const wrong = await run('--by', 'day', '--since', '2026-02-31')
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('must be a day such as')])
})

test('the entries of other times are not read', async () => {
  const owner = await openShop(kassa.ctx)
  for (const day of ['2025-01-01', '2025-01-02', '2025-01-03'])
    await book(
      owner,
      Array.from({ length: 200 }, () => ({ kind: 'taken', amount: 1, at: `${day}T12:00:00Z` })),
    )
  const db = openDb(kassa.databaseUrl, { world: 'sandbox', max: 1 })
  // As in a deployment: the tests' PostgreSQL plans a statement without its values.
  await db.query("set plan_cache_mode = 'auto'")
  const read = async () => {
    await db.query('select pg_stat_force_next_flush()')
    const { rows } = await db.query<{ read: number }>(
      `select idx_tup_read::int as read from pg_stat_user_indexes
       where indexrelid = 'sandbox.entries_by_moment'::regclass`,
    )
    return rows[0]?.read ?? 0
  }
  const before = await read()
  const day = { since: '2025-01-02', until: '2025-01-02' }
  const filter = { merchantId: owner.merchantId, accountId: undefined, currency: undefined }
  const { totals: found } = await getTotals({ ...kassa.ctx, db }, { by: 'day', ...day, ...filter })
  expect(found).toMatchObject([{ entries: 200, taken: 200n }])
  await read()
  expect((await read()) - before).toBe(200)
  await db.end()
})
