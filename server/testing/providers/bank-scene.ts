/**
 * For tests of the bank's faults: a shop whose buyers pay at the simulated bank. The test moves the clock, runs the sweeps, and
 * compares the records of Kassa with those of the bank.
 */
import { expect } from 'vitest'
import type { SandboxFault } from '../../contract/faults.ts'
import { type BankEntry, sumOfDisputes, sumOfRefunds } from '../../sandbox/bank/order.ts'
import type { OperationRecord } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { listPaymentChanges } from '../../storage/payments/payment-changes.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { createSession, payAtBank, sessionRequest } from '../calls.ts'
import { type Kassa, openShop } from '../harness.ts'
import { paymentsOf } from '../payments/placed-payment.ts'

export type BankScene = Awaited<ReturnType<typeof setBankScene>>

/** `kassa` runs without its worker. */
export async function setBankScene(kassa: Kassa) {
  const { ctx, clock, url } = kassa
  const shop = await openShop(ctx)
  let keys = 0

  async function open({ fault, provider = 'route_a' }: { fault?: SandboxFault; provider?: string } = {}) {
    const key = `order-${++keys}`
    const metadata = fault && { sandboxFault: fault }
    const body = sessionRequest({ merchantOrderId: key, provider, ...(metadata && { metadata }) })
    const created = await createSession(url, shop, { key, body })
    return created.body as { id: string; providerCheckoutUrl: string }
  }
  async function pay(fault?: SandboxFault, { provider = 'route_a', outcome = 'paid' } = {}): Promise<string> {
    const order = await open({ ...(fault && { fault }), provider })
    await payAtBank(order.providerCheckoutUrl, outcome)
    return order.id
  }

  /** Moves the clock and runs everything that is due. */
  async function later(ms = 0): Promise<void> {
    clock.advance(ms)
    for (let round = 0; round < 2; round++) {
      await SWEEPS.bankCallbacks(ctx)
      await SWEEPS.statusSync(ctx)
      await SWEEPS.settledSync(ctx)
      await SWEEPS.moneyOperations(ctx)
    }
  }

  const payments = paymentsOf(kassa, shop, later)
  const { payment, operations } = payments
  const bank = bankOf(kassa, async (id) => (await payment(id)).attempt.reference)

  return {
    kassa,
    shop,
    open,
    pay,
    later,
    ...payments,
    ...bank,
    expectReconciled: async (id: string) =>
      expectReconciled(await payment(id), await bank.entry(id), await operations(id)),
    refund: (id: string, amountMinor: number) =>
      payments.ask(id, 'refunds', { amountMinor, reason: 'returned' }),
    changes: (id: string) => listPaymentChanges(ctx.db, shop.merchantId, id),
    /** The statuses of the payment after its checkout was started. */
    path: async (id: string) =>
      (await listPaymentChanges(ctx.db, shop.merchantId, id)).map(({ toStatus }) => toStatus).slice(1),
  }
}

/** What tests do at the bank with a payment's order. Every id is a payment's id. */
function bankOf({ ctx, clock }: Kassa, referenceOf: (id: string) => Promise<string>) {
  const addressOf = async (id: string) => ({ customer: 'kassa', reference: await referenceOf(id) })
  return {
    referenceOf,
    entry: async (id: string) => (await ctx.sandbox.bank.find(await addressOf(id), clock.now())) as BankEntry,
    /** The responses to the bank's callbacks, in the order in which the callbacks were written. */
    async callbacks(id: string): Promise<{ statusCode: number | null; attempts: number }[]> {
      const { rows } = await ctx.db.query(
        'select status_code as "statusCode", attempts from sandbox.sandbox_callbacks where reference = $1 order by number',
        [await referenceOf(id)],
      )
      return rows
    },
    /** Changes the order at the bank without Kassa. */
    async writeAtBank(id: string, what: 'refund' | 'capture' | 'void', amountMinor = 1): Promise<string> {
      const write = { amountMinor, now: clock.now() }
      return JSON.parse((await ctx.sandbox.bank.write(await addressOf(id), what, write)).text).result
    },
  }
}

/** Expects that the bank's and Kassa's records agree or a person is asked, and that nothing was done twice. */
function expectReconciled(ours: AttemptedPayment, theirs: BankEntry, requested: OperationRecord[]): void {
  const sent = requested.filter(({ type, sentAt }) => type === 'refund' && sentAt !== null)
  expect(theirs.refunds.length).toBeLessThanOrEqual(sent.length)
  const over = ['succeeded', 'failed', 'requires_operator_review']
  for (const { status } of requested) expect(over).toContain(status)
  if (ours.status === 'status_unknown') return
  expect(ours).toMatchObject({
    authorizedMinor: theirs.reversed ? 0 : theirs.authorizedMinor,
    capturedMinor: theirs.reversed ? 0 : theirs.capturedMinor,
    refundedMinor: sumOfRefunds(theirs, 'done') + sumOfDisputes(theirs, 'lost'),
    attempt: { disputedMinor: sumOfDisputes(theirs, 'open') },
  })
  const isReversed =
    theirs.reversed || (ours.capturedMinor > 0 && sumOfDisputes(theirs, 'lost') === ours.capturedMinor)
  expect([ours.status === 'disputed', ours.status === 'reversed']).toEqual([
    ours.attempt.disputedMinor > 0,
    isReversed,
  ])
}
