/** Creates a payment in any status by writing to the database directly. Only tests may bypass the table of statuses. */
import type { PaymentStatus } from '../../contract/payment.ts'
import { recordMovements } from '../../payments/entries/record.ts'
import type { Snapshot, Standing } from '../../providers/driver.ts'
import { inTransaction } from '../../storage/db.ts'
import { createSession, sessionRequest } from '../calls.ts'
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

/** What a provider says of the order of a payment in this status. */
export const saidOf = (status: PaymentStatus): Partial<Snapshot> => ({
  order: ORDER[status],
  ...(status === 'disputed' && { dispute: { amountMinor: AMOUNT } }),
  ...moneyIn(status),
})

export async function placePayment(
  { ctx, url }: Kassa,
  shop: Shop,
  { status, order }: { status: PaymentStatus; order: string },
): Promise<{ merchantId: string; id: string }> {
  const { body } = await createSession(url, shop, {
    key: order,
    body: sessionRequest({ merchantOrderId: order }),
  })
  const money = moneyIn(status)
  const { authorizedMinor, capturedMinor, refundedMinor } = money
  await inTransaction(ctx.db, async (tx) => {
    await tx.query('alter table sandbox.payments disable trigger payment_transition')
    await tx.query(
      'update sandbox.payments set status = $2, authorized_minor = $3, captured_minor = $4, refunded_minor = $5 where id = $1',
      [body.id, status, authorizedMinor, capturedMinor, refundedMinor],
    )
    const target = { ...money, disputedMinor: status === 'disputed' ? AMOUNT : 0, disputeLostMinor: 0 }
    const { merchantId } = shop
    const { id, currency } = body
    const booked = { merchantId, id, currency, attempt: { merchantId, paymentId: id, number: 1 } }
    await recordMovements(tx, booked, { target, details: {}, proof: 'test', at: ctx.clock.now() })
    // A table whose triggers still have something to judge cannot be altered.
    await tx.query('set constraints all immediate')
    await tx.query('alter table sandbox.payments enable trigger payment_transition')
  })
  return { merchantId: shop.merchantId, id: body.id }
}
