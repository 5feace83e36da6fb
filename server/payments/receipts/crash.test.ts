/** A worker that dies at any line, and workers that get into each other's way: no sale is printed twice. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RouteFiscal } from '../../providers/fiscal/driver.ts'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { mortalDb } from '../../testing/mortal-db.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { RETRY_WAITS_MS } from './printing.ts'

let kassa: Kassa
let shop: Shop
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
})
afterAll(() => kassa.close())

let order = 0
async function pay(): Promise<string> {
  const key = `fiscal-${++order}`
  const body = sessionRequest({ merchantOrderId: key })
  const { body: session } = await createSession(kassa.url, shop, { key, body })
  await payAtBank(session.providerCheckoutUrl, 'paid')
  return session.id
}

/** Works until nothing is due any more, with time passing between the turns. */
async function settle(): Promise<void> {
  for (const waitMs of [60_000, 60_000, ...RETRY_WAITS_MS.slice(0, 4)]) {
    kassa.clock.advance(waitMs)
    await SWEEPS.fiscalReceipts(kassa.ctx)
  }
}

/** How many receipts each payment has by the register's books and by ours. */
async function books(): Promise<{ id: string; printed: number; status: string }[]> {
  const { rows } = await kassa.ctx.db.query(
    `select payments.id, fiscal_status as status, count(sandbox_receipts.number)::int as printed from sandbox.payments
     left join sandbox.receipts on receipts.payment_id = payments.id
     left join sandbox.sandbox_receipts on reference = receipts.id group by 1, 2 order by 1`,
  )
  return rows
}
const expectOneEach = async () =>
  expect((await books()).filter(({ printed, status }) => printed !== 1 || status !== 'issued')).toEqual([])

const STATEMENTS_MAX = 60

test.each(['its answer comes', 'its answer is lost'])(
  'a worker that dies before any statement, while %s',
  async (_) => {
    const { route_a: route } = kassa.ctx.routes
    const fiscal = route.fiscal as RouteFiscal
    if (_ === 'its answer is lost') route.fiscal = { ...fiscal, settings: { FAULT: 'answer_lost' } }
    let survived = false
    for (let statements = 0; statements < STATEMENTS_MAX && !survived; statements++) {
      await pay()
      const dying = { ...kassa.ctx, db: mortalDb(kassa.ctx.db, statements) }
      survived = await SWEEPS.fiscalReceipts(dying).then(
        () => true,
        () => false,
      )
      kassa.clock.advance(61_000)
      // Another worker finds what is left of it.
      await SWEEPS.fiscalReceipts(kassa.ctx)
    }
    expect(survived).toBe(true)
    await settle()
    await expectOneEach()
    route.fiscal = fiscal
  },
)

test('five workers at once print thirty receipts, each once, under rising numbers', async () => {
  for (let count = 0; count < 30; count++) await pay()
  const work = async () => {
    for (let turn = 0; turn < 5; turn++) await SWEEPS.fiscalReceipts(kassa.ctx)
  }
  await Promise.all(Array.from({ length: 5 }, work))
  await settle()
  await expectOneEach()
})

test('a worker that was overtaken does not tell the register any more', async () => {
  const { route_a: route } = kassa.ctx.routes
  const fiscal = route.fiscal as RouteFiscal
  await pay()
  await pay()
  // While the first prints, its lease runs out, and another worker does all that is due.
  let slow = true
  route.fiscal = {
    ...fiscal,
    driver: {
      ...fiscal.driver,
      async issueReceipt(call, receipt) {
        const result = await fiscal.driver.issueReceipt(call, receipt)
        if (!slow) return result
        slow = false
        kassa.clock.advance(61_000)
        await SWEEPS.fiscalReceipts(kassa.ctx)
        return result
      },
    },
  }
  await SWEEPS.fiscalReceipts(kassa.ctx)
  route.fiscal = fiscal
  await settle()
  await expectOneEach()
})
