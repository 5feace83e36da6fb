/** A transfer that has arrived although the merchant had cancelled its payment. */
import type { Context } from '../../context.ts'
import type { Tx } from '../../storage/db.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { insertNewWarning } from '../../storage/payments/payment-warnings.ts'
import { sumUnmatched } from '../entries/entry.ts'
import { entriesOfAttempt, recordMovements } from '../entries/record.ts'
import { decimalAmount } from '../money.ts'
import { takeReference } from './bank-reference.ts'

/** Records it outside the payment, which stays cancelled. No provider returns it, so a person has to. */
export async function recordLateTransfer(
  ctx: Context,
  tx: Tx,
  payment: AttemptedPayment,
  {
    reference,
    amountMinor = payment.amountMinor,
    actor,
  }: { reference: string; amountMinor?: number | undefined; actor: string },
): Promise<void> {
  const { merchantId, id: paymentId, currency, attempt } = payment
  await takeReference(ctx, tx, attempt, reference)
  const entries = entriesOfAttempt(await listEntries(tx, payment), attempt.number)
  const cameMinor = sumUnmatched(entries, currency) + amountMinor
  const details = { transactionId: reference, outside: { currency, cameMinor, returnedMinor: 0 } }
  const at = ctx.clock.now()
  await recordMovements(tx, payment, { target: null, details, proof: `operator ${actor}`, at })
  const detail = `${decimalAmount(amountMinor, currency)} ${currency} arrived after the payment was cancelled: return it, and note the bank reference of that transfer`
  await insertNewWarning(tx, { merchantId, paymentId, detail, createdAt: at })
}
