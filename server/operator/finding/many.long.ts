/** Among many payments each search looks at some of them, says so, and can go on. `reports/scale.long.ts` measures the costs. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { searchNewest } from '../../storage/search/look-up.ts'
import { openManyPayments, type Scene } from '../../testing/books/many-scene.ts'
import { watchPlans } from '../../testing/books/plans.ts'
import { operateHere, operateJson } from '../../testing/operator.ts'
import { fold } from './fold.ts'
import { lookFor } from './list.ts'
import { word } from './words.ts'

/** More than one page looks at. */
const MANY = 11_000

let scene: Scene
beforeAll(async () => {
  scene = await openManyPayments(MANY)
  await scene.fill(MANY)
})
afterAll(() => scene.kassa.close())

const run = async (...args: string[]) =>
  (await operateJson({}, args, (_settings, words) => operateHere(async () => scene.kassa.ctx, words))).answer
const runCommand = async (...args: string[]) => (await operateHere(async () => scene.kassa.ctx, args)).stdout
const count = async (where: string) =>
  (await scene.kassa.ctx.db.query(`select count(*)::int as count from sandbox.payments p where ${where}`))
    .rows[0].count

/** Reads all pages. Returns the ids of the payments, and how many pages stopped before they were full. */
async function readAll(...filters: string[]): Promise<{ ids: string[]; cuts: number }> {
  const ids: string[] = []
  let cuts = 0
  for (let after: string[] = []; ; ) {
    const { payments, next, isCut } = await run('payment', 'list', '--limit', '500', ...filters, ...after)
    ids.push(...payments.map(({ id }: { id: string }) => id))
    if (isCut) cuts++
    if (next === null) return { ids, cuts }
    after = ['--after', next]
  }
}

test('a search for what many have says that it has looked at the newest alone, and a day helps', async () => {
  for (const query of ['petrosyan', 'shop', '1', 'or']) {
    expect((await run('payment', 'find', query)).isAll, query).toBe(false)
    expect(await runCommand('payment', 'find', query)).toContain('Add a day')
  }
  const { payments } = await run('payment', 'list', '--order', 'SHOP-0004001')
  const [{ createdAt, id }] = payments
  const dated = await run('payment', 'find', 'shop 4001', createdAt.slice(0, 10), '--zone', 'UTC')
  expect(dated).toMatchObject({ isAll: true, payments: [{ id }] })
})

test('a search of one shop looks through its own newest 5,000 payments, and reads no row of these by itself', async () => {
  const { kassa, shops } = scene
  const words = [word('name', fold('petrosyan')), word('domain', fold('mail.example'))]
  const query = words.map((each) => `'${each}'`).join(' & ')
  for (const plan of ['custom', 'generic'] as const) {
    const watched = watchPlans(kassa.databaseUrl, plan)
    for (const { merchantId } of shops) {
      const range = { merchantId, fromId: '', toId: 'q' }
      let found: string[] = []
      const { blocks } = await watched.cost(async () => {
        const { rows } = await searchNewest(watched.db, query, range)
        found = rows.map(({ paymentId }) => paymentId)
      })
      const { rows } = await kassa.ctx.db.query<{ id: string }>(
        `select payment_id as id from (select * from sandbox.payment_search where merchant_id = $1 order by payment_id desc limit 5000) s
         where words @@ $2::tsquery order by payment_id desc limit 500`,
        [merchantId, query],
      )
      expect(found).toEqual(rows.map(({ id }) => id))
      expect(found.length).toBeGreaterThan(5)
      // Two statements. A look-up of each payment read 15,000 pages and more.
      expect(blocks).toBeLessThan(3_000)
    }
    await watched.end()
  }
})

test.each(['SHOP 4001', 'buyer.4001@', 'order 4001 petrosyan ani maria', '4001'])(
  'a rare word finds the one payment, however many have the others: %s',
  async (query) => {
    const { payments } = await run('payment', 'find', query)
    expect(payments[0]?.merchantOrderId).toMatch(/4001$/)
  },
)

test.each([
  ['an amount that few paid', ['--max', '10.20'], 'p.amount_minor <= 1020', 1],
  [
    'customers with a common name',
    ['--customer', 'petrosyan'],
    `p.customer ->> 'name' ilike '%petrosyan%'`,
    2,
  ],
  ['customers with a rare name', ['--customer', 'zakaryan'], `p.customer ->> 'name' ilike '%zakaryan%'`, 0],
  ['a warning', ['--warned'], 'exists (select from sandbox.payment_warnings w where w.payment_id = p.id)', 0],
  ['an order', ['--order', 'SHOP-0000401'], `p.merchant_order_id = 'SHOP-0000401'`, 0],
] as const)('all pages of %s have each payment once', async (_what, filters, where, cutsMin) => {
  const { ids, cuts } = await readAll(...filters)
  expect(ids).toHaveLength(await count(where))
  expect(ids.length).toBeGreaterThan(0)
  expect(ids).toEqual([...new Set(ids)].sort().reverse())
  expect(cuts).toBeGreaterThanOrEqual(cutsMin)
})

test('a page that has found nothing yet says how to go on', async () => {
  const text = await runCommand('payment', 'list', '--max', '0.01')
  expect(text).toContain('No payments found.')
  expect(text).toMatch(/More: .* --max '?0\.01'? .*--after pay_test_/)
})

test('an order is on one page, also if the last hour alone has more payments than a page looks at', async () => {
  const { ctx } = scene.kassa
  const { rows } = await ctx.db.query(
    'select merchant_order_id as "order", created_at as at from sandbox.payments order by id limit 1',
  )
  const early = { ...ctx, clock: { ...ctx.clock, now: () => rows[0].at } }
  const ids: string[] = []
  for (let after: string | null = null, pages = 0; pages === 0 || (after !== null && pages < 9); pages++) {
    const page = await lookFor(early, { merchantOrderId: rows[0].order, limit: 5, after })
    ids.push(...page.payments.map(({ id }) => id))
    after = page.next
  }
  expect(ids).toHaveLength(1)
})
