/**
 * A provider that cannot be asked asks us before the buyer pays (pre-check), and tells us afterwards (proof).
 * Rule: one order is paid once. While one buyer may be paying it, nobody else may, and only its first transaction counts.
 */
import type { Context } from '../../context.ts'
import type { InboundVerdict, Snapshot } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import { inTransaction } from '../../storage/db.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentAttempt, lockPayment } from '../../storage/payments/payments.ts'
import { claimAllowing, readProven, storeProof } from '../../storage/payments/provider-orders.ts'
import { findShortfall } from '../answer-meaning.ts'
import { isUnopened, mayHavePayableOrder } from '../attempts/attempt.ts'
import { askAboutPayment } from '../attempts/question.ts'
import { warn } from '../attempts/warning.ts'
import { withResults } from '../attempts/write-results.ts'
import { findMismatch } from '../entries/fit.ts'
import { isOwn } from '../own-attempt.ts'
import { mayBePaidUnseen } from '../restored.ts'
import { canExpire, isOpen, OVER_UNPAID } from '../status.ts'
import { applyStatus } from '../transition.ts'
import { rememberKept } from './kept.ts'

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
  const mayBePaid =
    canExpire(payment.status) && mayHavePayableOrder(payment.attempt.state) && now < payment.expiresAt
  if (!isOurs || !mayBePaid) return 'refused'
  // It may be paid already. A person looks before anybody pays it again.
  if (await mayBePaidUnseen(ctx, payment)) {
    await askAboutPayment(ctx, payment)
    return 'refused'
  }
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
  // A proof that does not fit the payment is stored as a warning for a person, and is not accepted.
  const misfit = findMismatch(payment, snapshot) ?? findShortfall(payment, snapshot, null)
  if (misfit !== null) {
    await apply(ctx, account, payment, snapshot)
    return 'refused'
  }
  const stored = await store(ctx, payment, { proof: snapshot, transactionId })
  if (stored === 'stored' || stored === 'unsure') rememberKept(ctx, account, payment.attempt, transactionId)
  if (stored === 'unsure') return stored
  if (stored !== 'stored') {
    await warn(ctx, payment, `${NOT_TAKEN[stored]}, and the provider reports ${named}: ${LOOK_THERE}`)
    if (stored === 'unseen') await askAboutPayment(ctx, payment)
    return 'refused'
  }
  try {
    // Its buyer may have left the order since it was read.
    const now = (await findPaymentAttempt(ctx.db, payment.attempt)) ?? payment
    await apply(ctx, account, now, snapshot)
  } catch (error) {
    // It is stored, so it counts, and the worker applies it. If the reply said now that it is not stored, the provider would give the
    // money back.
    ctx.log.error({ paymentId: payment.id, err: error }, 'a stored proof is applied later')
  }
  return 'accepted'
}

const LOOK_THERE = 'it may have to be given back'

/** Why a proof is not taken. The refusal lets the provider give the money back at once. */
const NOT_TAKEN = {
  cancelled: 'the payment was cancelled',
  unwanted: 'the payment is paid in another way',
  unseen: 'the order could be paid in the hours that a restore has taken from the books',
  other: 'the order was paid before',
} as const

/** Returns why the order's money cannot be the payment's; null if it can. `isUnseen`: another payment of the order may be lost. */
function whyNotTaken(
  payment: AttemptedPayment,
  isUnseen: boolean,
): 'cancelled' | 'unwanted' | 'unseen' | null {
  if (payment.merchantCancelledAt !== null) return 'cancelled'
  const isWanted = isOwn(payment) || isOpen(payment.status) || OVER_UNPAID.includes(payment.status)
  if (!isWanted) return 'unwanted'
  return isUnseen ? 'unseen' : null
}

/**
 * Stores the proof, unless the payment cannot take the money any more. That is decided under the lock of the payment's row, because the
 * merchant may be cancelling it now. `other`: another transaction has proven the order before. If the connection breaks after the
 * statement was sent, it may be stored or not, so it is stored once more, which does no harm.
 * @throws Error if it is certainly not stored
 */
async function store(
  ctx: Context,
  payment: AttemptedPayment,
  given: { proof: Snapshot; transactionId: string | null },
): Promise<'stored' | 'unsure' | keyof typeof NOT_TAKEN> {
  const { merchantId, id, attempt } = payment
  const dueAt = new Date(ctx.clock.now().getTime() + APPLY_AGAIN_MS)
  const isUnseen = await mayBePaidUnseen(ctx, payment)
  let isSent = false
  const once = () =>
    inTransaction(ctx.db, async (tx) => {
      const locked = await lockPayment(tx, merchantId, id, attempt.number)
      const isProven = (await readProven(tx, attempt)).proof !== null
      const why = locked && !isProven ? whyNotTaken(locked, isUnseen) : null
      if (why !== null) return why
      isSent = true
      return (await storeProof(tx, attempt, { ...given, dueAt })) ? 'stored' : 'other'
    })
  try {
    return await once()
  } catch (error) {
    if (!isSent) throw error
    return once().catch((again: unknown) => {
      const { transactionId } = given
      ctx.log.error(
        { paymentId: id, transactionId, err: again },
        'a proof is stored, or it is not: if the payment does not become paid, look at the provider',
      )
      return 'unsure'
    })
  }
}

async function apply(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
  snapshot: Snapshot,
): Promise<void> {
  const answer = await withResults(ctx, account, payment.attempt, { kind: 'found', snapshot } as const)
  await askAboutPayment(ctx, payment, answer)
}
