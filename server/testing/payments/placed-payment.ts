/** Payments for tests of faults: one in any status, written to the database directly, and what happens to those of a shop later. */
import type { PaymentStatus } from '../../contract/payment.ts'
import { createSession } from '../../payments/creation/session.ts'
import { recordMovements } from '../../payments/entries/record.ts'
import type { Snapshot, Standing } from '../../providers/driver.ts'
import { inTransaction } from '../../storage/db.ts'
import { listPaymentOperations } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { askOperation, sessionRequest } from '../calls.ts'
import type { Kassa, Shop } from '../harness.ts'

const AMOUNT = 1900

/** Amounts that a payment in this status may have. */
export function moneyIn(status: PaymentStatus) {
  const captured = ['paid', 'partially_refunded', 'refunded', 'disputed'].includes(status) ? AMOUNT : 0
  const refunded = { partially_refunded: 500, refunded: AMOUNT }[status as string] ?? 0
  return {
    authorizedMinor: status === 'authorized' ? AMOUNT : captured,
    capturedMinor: captured,
    refundedMinor: refunded,
  }
}

/** How the order of a payment in this status stands at its provider. */
const ORDER = {
  created: 'waiting',
  pending_redirect: 'waiting',
  pending_payment: 'reached',
  authorized: 'completed',
  paid: 'completed',
  partially_refunded: 'completed',
  refunded: 'completed',
  disputed: 'completed',
  failed: 'declined',
  cancelled: 'cancelled',
  expired: 'expired',
  reversed: 'voided',
  status_unknown: 'unclear',
} as const satisfies Record<PaymentStatus, Standing>

/** What a provider reports about the order of a payment in this status. */
export const reportOf = (status: PaymentStatus): Partial<Snapshot> => ({
  order: ORDER[status],
  ...(status === 'disputed' && { dispute: { amountMinor: AMOUNT } }),
  ...moneyIn(status),
})

export async function placePayment(
  { ctx }: Pick<Kassa, 'ctx'>,
  shop: Shop,
  { status, order }: { status: PaymentStatus; order: string },
): Promise<{ merchantId: string; id: string }> {
  const { merchantId } = shop
  const request = sessionRequest({ merchantOrderId: order })
  const { session } = await createSession(ctx, { merchantId, idempotencyKey: order, request })
  const money = moneyIn(status)
  const { authorizedMinor, capturedMinor, refundedMinor } = money
  await inTransaction(ctx.db, async (tx) => {
    await tx.query('alter table sandbox.payments disable trigger payment_transition')
    await tx.query(
      'update sandbox.payments set status = $2, authorized_minor = $3, captured_minor = $4, refunded_minor = $5 where id = $1',
      [session.id, status, authorizedMinor, capturedMinor, refundedMinor],
    )
    const target = { ...money, disputedMinor: status === 'disputed' ? AMOUNT : 0, disputeLostMinor: 0 }
    const { id } = session
    const booked = {
      merchantId,
      id,
      currency: request.currency,
      attempt: { merchantId, paymentId: id, number: 1 },
    }
    await recordMovements(tx, booked, { target, details: {}, proof: 'test', at: ctx.clock.now() })
    // A table whose triggers still have something to judge cannot be altered.
    await tx.query('set constraints all immediate')
    await tx.query('alter table sandbox.payments enable trigger payment_transition')
  })
  return { merchantId, id: session.id }
}

/** Steps of time that are long enough for the schedule and for every fault. */
const A_WHILE_MS = [3_000, 12_000, 30_000, 45_000, 60_000, 120_000, 300_000]

/** `later`: moves the clock, and runs everything that is due. */
export function paymentsOf(
  { ctx, url }: Pick<Kassa, 'ctx' | 'url'>,
  shop: Shop,
  later: (ms: number) => Promise<void>,
) {
  let keys = 0
  const payment = async (id: string) => (await findPayment(ctx.db, shop.merchantId, id)) as AttemptedPayment
  return {
    payment,
    status: async (id: string) => (await payment(id)).status,
    operations: (id: string) => listPaymentOperations(ctx.db, shop.merchantId, id),
    ask: (id: string, what: 'refunds' | 'capture' | 'void', body: object) =>
      askOperation(url, shop, id, what, { key: `operation-${++keys}`, body }),
    async aWhileLater(): Promise<void> {
      for (const ms of A_WHILE_MS) await later(ms)
    },
  }
}
