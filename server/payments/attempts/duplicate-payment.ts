/**
 * Money that a second attempt of a payment has brought, or that has arrived after the merchant's cancel. The payment does not need it, so the service itself asks for an operation
 * that gives it back to the buyer. The worker of operations carries it out like any other. The payment's status, sums, receipts and
 * events stay as they are, and the merchant's own operations do not wait for it.
 */
import { settingsRefusalOf } from '../../accounts/capability-state.ts'
import type { Context } from '../../context.ts'
import type { Snapshot } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import { inTransaction } from '../../storage/db.ts'
import { listPaymentOperations } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { statusOf } from '../derived-status.ts'
import { fingerprint } from '../idempotency.ts'
import { decimalAmount } from '../money.ts'
import { isEnded, type MoneyOperation, refundableMinor } from '../operation.ts'
import { requestByService } from '../operation-request.ts'
import { isOwn } from '../own-attempt.ts'

/** How many returns of one kind may fail before anything is sent. After that a person returns the money. */
const UNSENT_MAX = 3

/**
 * Asks for the return of what the attempt still has, once. Safe to repeat with each answer, concurrently and after any crash. `warn`
 * stores what an operator has to know, once. The attempt is `payment.attempt`; the answer is its provider's.
 */
export async function requestReturn(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
  snapshot: Snapshot,
  warn: (detail: string) => Promise<void>,
): Promise<void> {
  const { merchantId, id: paymentId, currency, attempt, merchantCancelledAt } = payment
  const { number, reference, provider, accountId } = attempt
  const isLate = merchantCancelledAt !== null
  if (!isLate) await warn(`attempt ${number} (${reference}) brought money besides the payment's own`)
  const type = typeOfReturn(snapshot)
  const amountMinor = type === 'refund' ? refundableMinor(snapshot) : snapshot.authorizedMinor
  if (amountMinor === 0 || ['reversed', 'disputed'].includes(statusOf(snapshot))) return
  const earlier = (await listPaymentOperations(ctx.db, merchantId, paymentId, number)).filter(
    ({ cause }) => cause === 'service',
  )
  if (earlier.some(({ status }) => !isEnded(status))) return
  const sameType = earlier.filter((each) => each.type === type)
  const sent = sameType.find(({ sentAt }) => sentAt !== null)
  const ended = sent ?? (sameType.length < UNSENT_MAX ? undefined : sameType.at(-1))
  const refusal = ended ? `the ${type} ${ended.id} has ${ended.status}` : settingsRefusalOf(account, type)
  if (refusal) {
    const sum = isLate ? `${decimalAmount(amountMinor, currency)} ${currency}` : 'the money'
    await warn(`give ${sum} of attempt ${number} back at the provider: ${refusal}`)
    return
  }
  // The key follows from the order, so that it is the same after a restore. A key of which nothing was sent is not used again.
  const key = [type, reference, ...(sameType.length > 0 ? [sameType.length + 1] : [])].join(' ')
  const claim = {
    merchantId,
    scope: `return of ${isLate ? 'late' : 'second'} money ${paymentId}`,
    key,
    fingerprint: fingerprint({}),
  }
  const about = { paymentId, attempt: number, provider, accountId }
  const draft = { type, ...about, amountMinor, currency, reason: isLate ? 'cancelled before' : 'paid twice' }
  await inTransaction(ctx.db, (tx) => requestByService(ctx, tx, claim, draft))
}

/** Returns why the money of this attempt is not sent back; null if it may be. */
export function findReturnObstacle(
  account: Account,
  payment: AttemptedPayment,
  { type, snapshot }: { type: MoneyOperation; snapshot: Snapshot },
): string | null {
  if (isOwn(payment) && payment.merchantCancelledAt === null)
    return "the money of this attempt is the payment's own now"
  if (type !== typeOfReturn(snapshot)) return 'what was only held was taken meanwhile'
  return settingsRefusalOf(account, type)
}

/** Money that is only held is released, not refunded. */
function typeOfReturn({ capturedMinor }: Snapshot): 'refund' | 'void' {
  return capturedMinor > 0 ? 'refund' : 'void'
}
