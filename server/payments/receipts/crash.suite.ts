/** Workers die at any line, or work at the same time. No sale is printed twice. The short and the long test both use this suite. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RouteFiscal } from '../../providers/fiscal/driver.ts'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { mortalDb, recordingDb } from '../../testing/mortal-db.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { RETRY_WAITS_MS } from './verdict.ts'

/** The writes of a print that run without a transaction. */
export const PRINT_WRITES = [
  'hold_fiscal_register',
  'claim_due_receipt',
  'reschedule_receipt',
  'leave_fiscal_register',
]

/** `choose`: the statements of a print before which a worker dies. */
export function testPrinting(choose: (statements: string[]) => number[]): void {
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

  /** Prints until nothing is due any more, and advances the clock between the runs. */
  async function settle(): Promise<void> {
    for (const waitMs of [60_000, 60_000, ...RETRY_WAITS_MS.slice(0, 4)]) {
      kassa.clock.advance(waitMs)
      await SWEEPS.fiscalReceipts(kassa.ctx)
    }
  }

  /** Returns for each payment its fiscalStatus, and how many receipts the register has printed for it. */
  async function countPrinted(): Promise<{ id: string; printed: number; status: string }[]> {
    const { rows } = await kassa.ctx.db.query(
      `select payments.id, fiscal_status as status, count(sandbox_receipts.number)::int as printed from sandbox.payments
     left join sandbox.receipts on receipts.payment_id = payments.id
     left join sandbox.sandbox_receipts on reference = receipts.id group by 1, 2 order by 1`,
    )
    return rows
  }
  const expectOneEach = async () =>
    expect(
      (await countPrinted()).filter(({ printed, status }) => printed !== 1 || status !== 'issued'),
    ).toEqual([])

  test.each(['arrives', 'is lost'])(
    'a worker dies around any commit or in between, and the register’s answer %s: each sale is printed once',
    async (answer) => {
      const { route_a: route } = kassa.ctx.routes
      const fiscal = route.fiscal as RouteFiscal
      if (answer === 'is lost') route.fiscal = { ...fiscal, settings: { FAULT: 'answer_lost' } }
      const print = async (db: Kassa['ctx']['db']) => {
        await pay()
        return SWEEPS.fiscalReceipts({ ...kassa.ctx, db }).then(
          () => true,
          () => false,
        )
      }
      const statements: string[] = []
      expect(await print(recordingDb(kassa.ctx.db, statements))).toBe(true)
      const points = choose(statements)
      let survived = 0
      for (const point of points) {
        if (await print(mortalDb(kassa.ctx.db, point))) survived++
        kassa.clock.advance(61_000)
        // Another worker continues from what the dead one stored.
        await SWEEPS.fiscalReceipts(kassa.ctx)
      }
      expect(survived).toBeGreaterThanOrEqual(1)
      expect(survived).toBeLessThan(points.length)
      await settle()
      await expectOneEach()
      route.fiscal = fiscal
    },
  )

  test('four workers at once print twelve receipts, each of them once', async () => {
    for (let count = 0; count < 12; count++) await pay()
    const work = async () => {
      for (let run = 0; run < 3; run++) await SWEEPS.fiscalReceipts(kassa.ctx)
    }
    await Promise.all(Array.from({ length: 4 }, work))
    await settle()
    await expectOneEach()
  })

  test('a worker whose register another worker has taken over sends nothing more to it', async () => {
    const { route_a: route } = kassa.ctx.routes
    const fiscal = route.fiscal as RouteFiscal
    await pay()
    await pay()
    // While the first worker prints, its lease expires, and another worker prints everything that is due.
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
}
