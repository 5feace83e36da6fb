/** The mails that a movement of money makes. They are stored with it, and sent later. */
import type { Context } from '../context.ts'
import { newId } from '../id.ts'
import type { Tx } from '../storage/db.ts'
import { insertMail } from '../storage/mails/mails.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { isTaken } from './status.ts'

/**
 * Where mail is sent and the buyer's address is known, the buyer is told about money that was taken, given back, or not given back
 * after all. `failedMinor`: the refunds that failed. Money that a dispute moves back to the shop is no refund that failed.
 */
export async function noteMail(
  ctx: Context,
  tx: Tx,
  {
    before,
    payment,
    failedMinor,
  }: { before: AttemptedPayment; payment: AttemptedPayment; failedMinor: number },
): Promise<void> {
  const to = payment.customer?.email
  if (!ctx.config.smtpServer || !to) return
  const { merchantId, id: paymentId, updatedAt: createdAt, status, capturedMinor } = payment
  // A void gives back all that was taken. After it the payment's sums are 0.
  const isVoid = status === 'reversed' && capturedMinor === 0
  const refundedMinor = isVoid ? before.capturedMinor : payment.refundedMinor
  // One refund may have failed while another one returned as much.
  const returnedMinor = refundedMinor - before.refundedMinor + failedMinor
  const mail = () => ({
    merchantId,
    id: newId(ctx.world, 'mal', merchantId, createdAt),
    paymentId,
    createdAt,
    to,
    refundedMinor,
  })
  if (status === 'paid' && !isTaken(before))
    return insertMail(tx, { ...mail(), kind: 'paid', amountMinor: capturedMinor })
  if (returnedMinor > 0) await insertMail(tx, { ...mail(), kind: 'refunded', amountMinor: returnedMinor })
  if (failedMinor > 0) await insertMail(tx, { ...mail(), kind: 'refund_failed', amountMinor: failedMinor })
}
