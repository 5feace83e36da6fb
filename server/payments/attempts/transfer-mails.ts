/**
 * The mails to a buyer who pays by a transfer: where the money goes, and once a reminder before the order is given up. They are due
 * by the column of the questions to providers, since nobody can be asked about a transfer.
 */
import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import { newId } from '../../id.ts'
import { inTransaction } from '../../storage/db.ts'
import { insertMail } from '../../storage/mails/mails.ts'
import { updateQuestionDue } from '../../storage/payments/attempts.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { canExpire } from '../status.ts'
import { transferOf } from '../transfers/transfer.ts'

/** Makes the mail that is due, and schedules the next one. Returns false if the payment is not paid by a transfer. */
export async function mailTransfer(ctx: Context, due: AttemptedPayment): Promise<boolean> {
  const account = due.attempt.state === 'open' ? await findAccount(ctx, due.attempt.accountId) : null
  const transfer = account && transferOf(account, due)
  if (!transfer) return false
  const { merchantId, id: paymentId, amountMinor, customer } = due
  const createdAt = ctx.clock.now()
  const isReminder = transfer.remindAt !== null && createdAt >= transfer.remindAt
  const isWanted = transfer.account !== null && canExpire(due.status) && createdAt < transfer.keptUntil
  // Both in one transaction, so that no mail is made twice.
  await inTransaction(ctx.db, async (tx) => {
    if (isWanted && customer?.email && ctx.config.smtpServer)
      await insertMail(tx, {
        merchantId,
        id: newId(ctx.world, 'mal', merchantId, createdAt),
        paymentId,
        kind: isReminder ? 'transfer_reminder' : 'transfer',
        amountMinor,
        refundedMinor: 0,
        createdAt,
        to: customer.email,
      })
    await updateQuestionDue(tx, due.attempt, isReminder ? null : transfer.remindAt)
  })
  return true
}
