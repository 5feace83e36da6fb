/**
 * A provider that cannot be asked asks us before the buyer pays (pre-check), and tells us afterwards (proof).
 * Rule: one order is paid once. While one buyer may be paying it, nobody else may, and only its first transaction counts.
 */
import type { Context } from '../../context.ts'
import type { InboundVerdict, Snapshot } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { claimAllowing, storeProof } from '../../storage/payments/provider-orders.ts'
import { findShortfall } from '../answer-meaning.ts'
import { isLive, isUnopened } from '../attempts/attempt.ts'
import { askAboutPayment } from '../attempts/question.ts'
import { warn } from '../attempts/warning.ts'
import { withResults } from '../attempts/write-results.ts'
import { findMismatch } from '../entries/fit.ts'
import { canExpire } from '../status.ts'
import { applyStatus } from '../transition.ts'

/** How long a buyer whose payment was allowed keeps others from paying the same order. */
const ALLOWED_MS = 60_000
/** When the worker applies a proof whose process died. */
const APPLY_AGAIN_MS = 60_000

/** Decides about a pre-check. The order may be paid if it is open, and its amount and currency are the agreed ones. */
export async function takePrecheck(
  ctx: Context,
  payment: AttemptedPayment,
  { amountMinor, currency }: Pick<Snapshot, 'amountMinor' | 'currency'>,
): Promise<InboundVerdict> {
  const now = ctx.clock.now()
  const isOurs = amountMinor === payment.amountMinor && currency === payment.currency
  const mayBePaid = canExpire(payment.status) && isLive(payment.attempt.state) && now < payment.expiresAt
  if (!isOurs || !mayBePaid) return 'refused'
  const unlessSince = new Date(now.getTime() - ALLOWED_MS)
  if (!(await claimAllowing(ctx.db, payment.attempt, { now, unlessSince }))) return 'refused'
  if (payment.status === 'pending_payment') return 'accepted'
  const { outcome } = await applyStatus(ctx, payment, { to: 'pending_payment', cause: 'provider' })
  return outcome === 'refused' ? 'refused' : 'accepted'
}

/** Takes a proof of payment. It is accepted only once it is stored, because the provider may never send it again. */
export async function takeProof(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
  snapshot: Snapshot,
): Promise<InboundVerdict> {
  const transactionId = snapshot.providerTransactionId ?? null
  const named = transactionId === null ? 'a transaction' : `the transaction ${transactionId}`
  if (isUnopened(payment.attempt.state)) {
    await warn(ctx, payment, `the provider reports ${named} of an order that nobody has opened`)
    return 'refused'
  }
  // What does not fit is stored as a doubt for a person, and is no acceptance.
  const misfit = findMismatch(payment, snapshot) ?? findShortfall(payment, snapshot, null)
  if (misfit === null) {
    const dueAt = new Date(ctx.clock.now().getTime() + APPLY_AGAIN_MS)
    if (!(await storeProof(ctx.db, payment.attempt, { proof: snapshot, transactionId, dueAt }))) {
      await warn(
        ctx,
        payment,
        `the order was paid before, and the provider reports ${named} too: it may have to be given back`,
      )
      return 'refused'
    }
  }
  const answer = await withResults(ctx, account, payment.attempt, { kind: 'found', snapshot } as const)
  await askAboutPayment(ctx, payment, answer)
  return misfit === null ? 'accepted' : 'refused'
}
