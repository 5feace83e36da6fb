/** The desk among very many cases: a page reads those that it shows, however PostgreSQL plans, and the pages leave none out. */
import { beforeAll, expect, test } from 'vitest'
import { watchPlans } from '../../testing/books/plans.ts'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { openShop, type Shop } from '../../testing/harness.ts'
import { openKassa } from '../../testing/scene.ts'
import { withoutTimeLimits } from '../db.ts'
import { type CaseKind, countCases, listCases } from './cases.ts'

const FEW = 300
const MANY = 6_000
const PAGE = 25
const DAYS = 7

let shop: Shop
let small: Shop
let payment: string
const kassa = await openKassa({ isNew: true })
beforeAll(async () => {
  ;[shop, small] = [await openShop(kassa.ctx), await openShop(kassa.ctx)]
  const body = sessionRequest({ merchantOrderId: 'one', amountMinor: 1900 })
  const { body: session } = await createSession(kassa.url, shop, { key: 'one', body })
  await payAtBank(session.providerCheckoutUrl, 'unknown')
  payment = session.id
})

const run = (text: string, values: unknown[]) =>
  withoutTimeLimits(kassa.ctx.db, (client) => client.query(text, values))

/** Cases of each kind that many payments have. They are of a few days, and have many sums. */
async function fill(from: number, to: number): Promise<void> {
  const { rows } = await kassa.ctx.db.query('select id from sandbox.accounts order by id limit 1')
  const of = [shop.merchantId, rows[0].id, from + 1, to]
  const at = `timestamptz '2026-01-05T12:00:00Z' + (n % ${DAYS}) * interval '1 day'`
  const copies = `generate_series($3::int, $4::int) n`
  const columns = await kassa.ctx.db.query(
    `select column_name as name from information_schema.columns where table_schema = 'sandbox' and table_name = 'payments'`,
  )
  const names = columns.rows.map(({ name }) => name as string)
  const taken = (status: string) => (status === 'disputed' ? '100 + n * 7919 % 10007' : '0')
  await run('alter table sandbox.payments disable trigger user', [])
  for (const [status = '', prefix = ''] of [
    ['status_unknown', 'pay_unknown_'],
    ['disputed', 'pay_disputed_'],
    ['pending_payment', 'pay_warned_'],
  ]) {
    const changed: Record<string, string> = {
      id: `'${prefix}' || lpad(n::text, 6, '0')`,
      merchant_order_id: `'${prefix}' || n`,
      amount_minor: '100 + n * 7919 % 10007',
      updated_at: at,
      status: `'${status}'`,
      authorized_minor: taken(status),
      captured_minor: taken(status),
    }
    await run(
      `insert into sandbox.payments (${names.join(', ')})
       select ${names.map((name) => changed[name] ?? `p.${name}`).join(', ')} from sandbox.payments p, ${copies}
       where p.id = '${payment}' and p.merchant_id = $1 and $2::text is not null`,
      of,
    )
  }
  await run('alter table sandbox.payments enable trigger user', [])
  await run(
    `insert into sandbox.payment_warnings (merchant_id, payment_id, detail, created_at, amount_minor)
     select $1, 'pay_warned_' || lpad(n::text, 6, '0'), which, ${at} + (which = 'later') :: int * interval '1 hour', 100 + n * 7919 % 10007
     from ${copies}, unnest(array['first', 'later']) which where $2::text is not null`,
    of,
  )
  await run(
    `insert into sandbox.statement_findings (account_id, id, kind, side, merchant_id, ours_minor, theirs_minor, currency, their_currency, found_at)
     select $2, 'difference' || n, 'differing', 'taken', $1, n % 977, 1, 'USD', 'USD', ${at} from ${copies}`,
    of,
  )
  await run(
    `insert into sandbox.receipts (merchant_id, id, payment_id, kind, amount_minor, currency, account_id, register, status, status_reason, created_at, updated_at)
     select $1, 'rcp_' || n, 'pay_' || n, 'sale', 1 + n % 977, 'USD', $2, 'r', 'failed', 'no paper', ${at}, ${at} from ${copies}`,
    of,
  )
  await run(
    `insert into sandbox.operations (merchant_id, id, type, payment_id, attempt, provider, account_id, status, status_reason, amount_minor, currency,
       scope, key, fingerprint, created_at, updated_at)
     select $1, 'opr_' || n, 'refund', 'pay_' || n, 1, 'route_a', $2, 'requires_operator_review', 'no answer', 1 + n % 977, 'USD', 's', 'k' || n, 'f',
       ${at}, ${at} from ${copies}`,
    of,
  )
  await run('analyze', [])
}

type Wish = { after?: string; merchantId?: string | null; kind?: CaseKind | null; limit?: number }
const wished = ({ after = '', merchantId = null, kind = null, limit = PAGE }: Wish) => ({
  after,
  merchantId,
  kind,
  limit,
  now: new Date(),
})
const list = (wish: Wish = {}) => listCases(kassa.ctx.db, wished(wish))

/** The pages of the database that are read for each page of the desk. */
async function costs(): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  const { rows } = await list({ limit: 150 })
  const after = rows.at(-1)?.position ?? ''
  for (const plan of ['custom', 'generic'] as const) {
    const { db, cost, end } = watchPlans(kassa.databaseUrl, plan)
    for (const merchantId of [null, shop.merchantId, small.merchantId]) {
      const who = `${plan} ${merchantId === null ? 'all' : merchantId === shop.merchantId ? 'shop' : 'small shop'}`
      for (const wish of [{}, { after }, { kind: 'warning' as const }]) {
        const { blocks } = await cost(() => listCases(db, wished({ merchantId, ...wish })))
        found.set(`${who} ${Object.keys(wish)}`, blocks)
      }
      const counted = { merchantId, now: new Date(), limit: 100 }
      found.set(`${who} counts`, (await cost(() => countCases(db, counted))).blocks)
    }
    await end()
  }
  return found
}

test('twenty times as many cases cost no page of the desk more, however PostgreSQL plans', async () => {
  await fill(0, FEW)
  const few = await costs()
  await fill(FEW, MANY)
  const many = await costs()
  const grown = [...many].filter(([name, blocks]) => blocks > 2 * (few.get(name) ?? 0) + 50)
  expect(grown).toEqual([])
  expect(many.get('generic small shop ')).toBeLessThan(100)
}, 120_000)

test('the pages follow one another in order, and have each case once', async () => {
  const positions: string[] = []
  const subjects = new Set<string>()
  for (let after: string | null = ''; after !== null; ) {
    const { rows, next } = await list({ after, limit: 1_000 })
    positions.push(...rows.map(({ position }) => position))
    for (const { kind, subject } of rows) subjects.add(`${kind} ${subject}`)
    after = next
  }
  expect(positions).toEqual([...positions].sort((one, two) => (one < two ? -1 : 1)))
  // The payment that was copied is the sixth kind's only one, and no warning counts twice.
  expect([positions.length, subjects.size]).toEqual([6 * MANY + 1, 6 * MANY + 1])
  const own = await list({ kind: 'disputed' })
  // The order is that of the payment's amount, and what is shown is what is disputed.
  expect(own.rows.map(({ amountMinor }) => amountMinor)).toEqual(Array(PAGE).fill(null))
  const ofDay = (await list({ kind: 'undecided' })).rows.map(({ since, amountMinor }) => [
    since.getUTCDate(),
    amountMinor,
  ])
  expect(ofDay).toEqual(ofDay.toSorted(([, one], [, two]) => (two ?? 0) - (one ?? 0)))
  expect(new Set(ofDay.map(([day]) => day))).toEqual(new Set([5]))
}, 120_000)

test('rows that are no case are passed by 1,000 at a time, and what is behind them is found', async () => {
  const day = '2026-01-01T12:00:00Z'
  await run(
    `insert into sandbox.payment_warnings (merchant_id, payment_id, detail, created_at, amount_minor)
     select $1, 'pay_a_' || lpad(n::text, 6, '0'), 'differs', $2::timestamptz, 5 from generate_series(1, 2300) n`,
    [small.merchantId, day],
  )
  await run(
    `insert into sandbox.statement_findings (account_id, id, kind, side, merchant_id, payment_id, ours_minor, theirs_minor, currency, their_currency, found_at)
     select (select min(id) from sandbox.accounts), 'of' || n, 'differing', 'taken', $1, 'pay_a_' || lpad(n::text, 6, '0'), 5, 1, 'USD', 'USD', $2::timestamptz
     from generate_series(1, 2299) n`,
    [small.merchantId, day],
  )
  const wish = { merchantId: small.merchantId, kind: 'warning' } as const
  const pages: (readonly [string[], boolean])[] = []
  for (let after: string | null = ''; after !== null; ) {
    const { rows, next } = await list({ ...wish, after })
    pages.push([rows.map(({ subject }) => subject), next !== null] as const)
    after = next
  }
  expect(pages).toEqual([
    [[], true],
    [[], true],
    [['pay_a_002300'], false],
  ])
})

test('many warnings of one payment are one case, and lead to the next page', async () => {
  await run(
    `insert into sandbox.payment_warnings (merchant_id, payment_id, detail, created_at, amount_minor)
     select $1, 'pay_b', 'said again ' || n, '2026-01-02T12:00:00Z', 5 from generate_series(1, 1200) n`,
    [small.merchantId],
  )
  const { rows, next } = await list({ merchantId: small.merchantId, after: '20260102' })
  expect([rows.map(({ subject }) => subject), next]).toEqual([[], expect.stringMatching(/pay_$/)])
  const second = await list({ merchantId: small.merchantId, after: next ?? '' })
  expect(second.rows.map(({ subject }) => subject)).toEqual(['pay_b'])
  const third = await list({ merchantId: small.merchantId, after: second.next ?? '' })
  expect([third.rows, third.next]).toEqual([[], null])
})
