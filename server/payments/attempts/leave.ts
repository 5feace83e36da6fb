/**
 * A buyer who has gone on to one provider wants to pay in another way.
 * Rule: an order that may still bring money is not left, because another one could be paid too. Either the provider ends it, or it takes no
 * money before we allow that: then an order that was never allowed is withdrawn, and never allowed afterwards.
 */
import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import type { Account } from '../../providers/registry.ts'
import { inTransaction } from '../../storage/db.ts'
import { withdrawUnallowed } from '../../storage/payments/attempt-orders.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { lockPayment } from '../../storage/payments/payments.ts'
import { mayAskAtOnce } from '../question-schedule.ts'
import { canExpire } from '../status.ts'
import { nameOf } from './in-flight.ts'
import { reread } from './order.ts'
import { askAboutAttempt } from './question.ts'

/** Leaves the open order if that is safe. Returns the payment as it is then: its attempt is still `open` if the order was kept. */
export async function leaveIfSafe(ctx: Context, found: AttemptedPayment): Promise<AttemptedPayment> {
  // Anybody who knows the payment's address can press.
  if (!mayAskAtOnce(ctx, `leave ${nameOf(found)}`)) return found
  const asking = { lane: 'stranger', isLeaving: true } as const
  const { payment, isDefinite } = await askAboutAttempt(ctx, found, asking)
  const account = await findAccount(ctx, payment.attempt.accountId)
  if (!account || !waitsForUs(account) || (account.driver.lookUp && !isDefinite)) return payment
  await inTransaction(ctx.db, async (tx) => {
    const locked = await lockPayment(tx, payment.merchantId, payment.id)
    const isSame = locked?.version === payment.version && locked.attempt.number === payment.attempt.number
    if (isSame && canExpire(locked.status) && locked.merchantCancelledAt === null)
      await withdrawUnallowed(tx, payment.attempt)
  })
  return reread(ctx, payment)
}

/** Whether this provider takes money only after we have accepted a pre-check, or have asked it to take the money of an approved order. */
const waitsForUs = ({ driver }: Account): boolean =>
  driver.inbound?.prechecks === true || driver.finalize !== undefined
