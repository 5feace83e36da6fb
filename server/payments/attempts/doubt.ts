/**
 * Two outcomes of a question that are neither an answer nor silence: nobody can read what the provider answered, or it does not know an
 * order that it must know. Both say nothing about the money, so the questions go on. But a person learns of them, at the payment and at
 * the account, and they end by themselves when the provider answers again.
 */
import { noteUnwell, noteWell, recallHealth } from '../../accounts/health.ts'
import { unreadableIn } from '../../accounts/refusal.ts'
import { hasUnknownWords } from '../../accounts/unknown-words.ts'
import type { Context } from '../../context.ts'
import type { LookUpResult } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import {
  endDoubts,
  hasOpenDoubts,
  insertPaymentWarning,
  reopenDoubt,
} from '../../storage/payments/payment-warnings.ts'

/** A provider may show an order only a moment after it has opened it. */
const APPEARS_WITHIN_MS = 60_000

const REASON =
  'The provider’s answers about some payments or saved methods cannot be read, or it does not know orders that it must know.'
const UNREADABLE =
  "the provider's answer could not be read, so nobody knows how the payment stands: look at the provider"
const LOST_MONEY =
  'the provider does not know the order, although it has brought money: look at the provider, and whether the account is still the same'
const LOST_ORDER =
  'the provider does not know the order, although it has opened it: look at the provider, and whether the account is still the same'
const DETAILS = [UNREADABLE, LOST_MONEY, LOST_ORDER]

type DoubtedAttempt = Pick<
  AttemptedPayment['attempt'],
  'state' | 'capturedMinor' | 'authorizedMinor' | 'openedAt' | 'expiresAt'
>

/**
 * Returns what the answer is worth. That the provider does not know an order that has brought money, or that it has opened for us and
 * that has not ended, is no definite answer. `error`: why there is no answer.
 */
export async function weighDoubt(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
  { answer, error = null }: { answer: LookUpResult; error?: unknown },
): Promise<LookUpResult> {
  const detail = findDoubt(ctx.clock.now(), account, payment, { answer, error })
  if (detail === null) {
    if (answer.kind === 'found') await endDoubtsOf(ctx, account, payment)
    return answer
  }
  const at = { merchantId: payment.merchantId, paymentId: payment.id, detail, createdAt: ctx.clock.now() }
  const isNew = (await insertPaymentWarning(ctx.db, at)) || (await reopenDoubt(ctx.db, at))
  if (isNew)
    ctx.log.warn({ paymentId: payment.id, accountId: account.id, detail }, 'an answer that cannot be')
  await noteUnclear(ctx, account)
  return { kind: 'unavailable', message: detail }
}

/** The account stays so until it answers again about what is in doubt. It takes payments meanwhile. */
export async function noteUnclear(ctx: Context, { id }: Pick<Account, 'id'>): Promise<void> {
  if (recallHealth(ctx, id).state === 'ok') await noteUnwell(ctx, id, { state: 'unclear', reason: REASON })
}

/** Returns what a person reads; null for an answer that can be. `now`: the clock of the world. */
export function findDoubt(
  now: Date,
  { driver }: { driver: { startCheckout?: unknown } },
  { attempt }: { attempt: DoubtedAttempt },
  { answer, error }: { answer: LookUpResult; error: unknown },
): string | null {
  if (unreadableIn(error)) return UNREADABLE
  const isLost = answer.kind === 'unavailable' && answer.isLost === true
  if (answer.kind !== 'not_found' && !isLost) return null
  if (attempt.state === 'paid' || attempt.capturedMinor > 0 || attempt.authorizedMinor > 0) return LOST_MONEY
  if (isLost) return LOST_ORDER
  const { state, openedAt, expiresAt } = attempt
  // An order that the buyer's browser opens may not exist yet.
  if (state !== 'open' || openedAt === null || !driver.startCheckout) return null
  const isMissed = now.getTime() >= openedAt.getTime() + APPEARS_WITHIN_MS && now < expiresAt
  return isMissed ? LOST_ORDER : null
}

/** The provider has answered about this payment. The account is well again once no other payment of it is in doubt. */
async function endDoubtsOf(ctx: Context, { id }: Account, payment: AttemptedPayment): Promise<void> {
  if (recallHealth(ctx, id).state !== 'unclear') return
  await endDoubts(ctx.db, payment, { details: DETAILS, at: ctx.clock.now() })
  await noteDoubtsOver(ctx, id)
}

/**
 * Ends the state of the account if no payment of it is in doubt any more, also because a person has looked at them, and if the provider has
 * used no unknown word for a while.
 */
export async function noteDoubtsOver(ctx: Context, accountId: string): Promise<void> {
  if (recallHealth(ctx, accountId).state !== 'unclear') return
  if (hasUnknownWords(ctx, accountId)) return
  if (!(await hasOpenDoubts(ctx.db, accountId, DETAILS))) await noteWell(ctx, accountId)
}
