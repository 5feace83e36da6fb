/**
 * Works on a subscription that is due. A charge that has been sent must have an outcome before anything else is charged.
 * Rule: once a charge's `sentAt` is stored, the provider is asked about it. While the provider knows the charge's key, the same
 * request is also sent again. A charge with an unknown outcome blocks the next charge and the next period, until the provider or an
 * operator decides. After a crash at any line, the next run continues from the stored state.
 */
import { refusalOf } from '../../accounts/capability-state.ts'
import { findAccount, findStopped } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import type { ChargeResult, LookUpResult } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import {
  findOpenSubscriptionCharge,
  listLateSubscriptionCharges,
  listPeriodCharges,
  type SubscriptionChargeRecord,
} from '../../storage/payments/subscription-charges.ts'
import {
  findSubscription,
  rescheduleSubscription,
  type SubscriptionRecord,
} from '../../storage/payments/subscriptions.ts'
import { askProvider } from '../attempts/ask.ts'
import { askAboutPayment } from '../attempts/question.ts'
import { isUnsent, type Unsent, wantedPauseMs } from '../attempts/send-to-provider.ts'
import { warn } from '../attempts/warning.ts'
import { backOffMs } from '../provider-call.ts'
import { openRestore } from '../restored.ts'
import { isOpen, OVER_UNPAID } from '../status.ts'
import { applyStatus, type Change } from '../transition.ts'
import { periodAt } from './calendar.ts'
import { beginCharge, countLost, dropCharge, settleFailed, settleLost, settlePaid } from './charge.ts'
import { ageOf, DAY_MS, findUndecided, getPayment, intervalOf, isLongSinceSent } from './earlier-charges.ts'
import { isKeyKnown, markSent, markSentAgain, type Sendable, sendCharge, unmarkSent } from './sending.ts'
import { waitsForPerson } from './unseen-charge.ts'

/** While one process works on a subscription, other processes skip the subscription for this long. */
export const SUBSCRIPTION_LEASE_MS = 90_000
/** After this time a person learns of a charge that cannot be sent. */
const UNSENT_WARNING_MS = 3 * DAY_MS
/** Works once on a subscription that is due. If it throws, a later run continues from the stored state. */
export async function workOnSubscription(ctx: Context, due: SubscriptionRecord): Promise<void> {
  const account = await findAccount(ctx, due.accountId)
  const at = { merchantId: due.merchantId, subscriptionId: due.id }
  const open = await findOpenSubscriptionCharge(ctx.db, at)
  if (!account?.driver.chargeToken || !account.driver.lookUp) return askLater(ctx, due, open)
  if (open?.sentAt) return continueSent(ctx, account, due, open)
  const late = await listLateSubscriptionCharges(ctx.db, at)
  if (late.length > 0) return settleLate(ctx, due, late, open)
  const current = (await findSubscription(ctx.db, due.merchantId, due.id)) ?? due
  if (current.status === 'cancelled') {
    if (open) await dropCharge(ctx, open)
    return rescheduleSubscription(ctx.db, due, null)
  }
  if (!open && (current.nextChargeAt ?? 0) > ctx.clock.now())
    return rescheduleSubscription(ctx.db, due, current.nextChargeAt)
  // Renewals that were switched off are not sent; one that was sent before is followed up above.
  if (refusalOf(ctx, account, 'subscriptions')) return askLater(ctx, due, open)
  const undecided = await findUndecided(ctx, account, current)
  if (!undecided) return sendNextCharge(ctx, account, current, open)
  const paid = await listLateSubscriptionCharges(ctx.db, at)
  return paid.length > 0 ? settleLate(ctx, due, paid, open) : askLater(ctx, current, undecided)
}

/**
 * Sends the open charge. Creates one first if there is none. An open charge whose period has ended is dropped instead, unless it
 * repeats one that was sent in time and got lost.
 */
async function sendNextCharge(
  ctx: Context,
  account: Account,
  subscription: SubscriptionRecord,
  open: SubscriptionChargeRecord | null,
): Promise<void> {
  // The charge may have been made after the backup. Our database learns of it before anything is charged.
  if (await openRestore(ctx)) return askLater(ctx, subscription, open)
  if (await findStopped(ctx, subscription.merchantId)) return askLater(ctx, subscription, open, 60 * 60_000)
  const charge = open ?? (await beginCharge(ctx, account, subscription))
  if (!charge) return
  if (await waitsForPerson(ctx, account, subscription, charge)) return askLater(ctx, subscription, charge)
  const { anchorAt, interval } = subscription
  const isLate = open && open.period < periodAt(anchorAt, interval, ctx.clock.now())
  if (isLate && countLost(await listPeriodCharges(ctx.db, open, open.period)) === 0)
    return dropCharge(ctx, open)
  const sent = await markSent(ctx, account, charge)
  if (sent) {
    const result = await sendCharge(ctx, account, sent)
    if (isUnsent(result)) return sendLater(ctx, subscription, sent, result)
    return followUp(ctx, account, subscription, sent.charge, { result })
  }
  // Either the payment's status changed before the charge was sent, and the charge is dropped. Or another process is sending it.
  const payment = await findPayment(ctx.db, charge.merchantId, charge.paymentId)
  if (payment && payment.status !== 'created') await dropCharge(ctx, charge)
}

/** The provider could not be reached, or rejected the charge for the moment. The charge waits. After some days a person is told. */
async function sendLater(
  ctx: Context,
  subscription: SubscriptionRecord,
  sent: Sendable,
  result: Unsent & { isRefused?: boolean },
): Promise<void> {
  await unmarkSent(ctx, sent, subscription, result)
  const unsent = { ...sent.charge, sentAt: null }
  const why = `the charge could not be sent for three days, and is still tried: ${result.message}`
  if (ageOf(ctx, unsent) > UNSENT_WARNING_MS) await warn(ctx, sent.payment, why)
  return askLater(ctx, subscription, unsent, undefined, wantedPauseMs(result))
}

/**
 * The charge was sent in an earlier run. If the provider does not show it, and still knows its key, the same request is sent again.
 * If the provider had carried it out, it then returns what it has done.
 */
async function continueSent(
  ctx: Context,
  account: Account,
  subscription: SubscriptionRecord,
  charge: SubscriptionChargeRecord,
): Promise<void> {
  const answer = await askProvider(ctx, account, await getPayment(ctx, charge), { lane: 'money' })
  const mustWait = answer.kind === 'found' || (await openRestore(ctx)) !== null
  const again = mustWait ? null : await markSentAgain(ctx, account, charge)
  if (!again) return followUp(ctx, account, subscription, charge, { answer })
  const result = await sendCharge(ctx, account, again)
  // The request of the earlier run may have arrived, so this one proves nothing if it did not leave.
  const evidence = isUnsent(result) ? { answer } : { result }
  return followUp(ctx, account, subscription, again.charge, evidence)
}

/** Money that arrived after its charge had failed pays the period. An open charge that was not sent yet is dropped. */
async function settleLate(
  ctx: Context,
  due: SubscriptionRecord,
  late: SubscriptionChargeRecord[],
  open: SubscriptionChargeRecord | null,
): Promise<void> {
  if (open) await dropCharge(ctx, open)
  await rescheduleSubscription(ctx.db, due, ctx.clock.now())
  for (const paid of late) await settlePaid(ctx, paid)
}

/**
 * Finds out the outcome of a charge that has been sent. `result`: the provider's answer, if the charge was sent just now. `answer`:
 * what the provider has just said; without it, the provider is asked.
 */
async function followUp(
  ctx: Context,
  account: Account,
  subscription: SubscriptionRecord,
  charge: SubscriptionChargeRecord,
  { result, answer: given }: { result?: ChargeResult; answer?: LookUpResult },
): Promise<void> {
  const known = await getPayment(ctx, charge)
  const answer = given ?? (await askProvider(ctx, account, known, { lane: 'money' }))
  const current = await askAboutPayment(ctx, known, answer)
  const payment = await endIfLost(ctx, account, current, { charge, answer, result })
  if (isOpen(payment.status)) return askLater(ctx, subscription, charge)
  if (!OVER_UNPAID.includes(payment.status)) return settlePaid(ctx, charge)
  if (payment.status === 'expired' && answer.kind !== 'found' && result?.kind !== 'refused')
    return isLongSinceSent(ctx, charge)
      ? makeAgain(ctx, payment, charge)
      : askLater(ctx, subscription, charge)
  const decline = declineOf(answer, result)
  if (decline) return settleFailed(ctx, charge, decline)
  // Only the provider can say whether another charge may succeed. If it does not say so within a day, we charge again.
  return ageOf(ctx, charge) > DAY_MS ? settleFailed(ctx, charge, 'soft') : askLater(ctx, subscription, charge)
}

/** The provider never got the charge, so another one follows. A person learns of it when that is not the first time. */
async function makeAgain(ctx: Context, payment: Payment, charge: SubscriptionChargeRecord): Promise<void> {
  const { subscriptionId, paymentId, period } = charge
  const times = await settleLost(ctx, charge)
  ctx.log.warn({ subscriptionId, paymentId, period, times }, 'charge never reached the provider')
  if (times > 1)
    await warn(
      ctx,
      payment,
      `${times} charges for this period were sent, and the provider has got none of them. The next one follows. See whether requests reach the provider: account test`,
    )
}

function declineOf(answer: LookUpResult, result: ChargeResult | undefined) {
  if (result?.kind === 'refused') return result.decline
  if (answer.kind === 'unavailable') return null
  return (answer.kind === 'found' && answer.snapshot.decline) || 'soft'
}

/** `answer`: to the question how the payment stands. `result`: of sending the charge. */
type Evidence = { charge: SubscriptionChargeRecord; answer: LookUpResult; result: ChargeResult | undefined }

/** Ends the payment of a charge that the provider does not know, or that it cannot be asked about. */
async function endIfLost(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
  evidence: Evidence,
): Promise<AttemptedPayment> {
  const mayBeLost = isOpen(payment.status) && !payment.attempt.underWaySince
  const change = mayBeLost ? decideLost(ctx, account, payment.status, evidence) : null
  return change ? (await applyStatus(ctx, payment, { ...change, cause: 'provider' })).payment : payment
}

function decideLost(
  ctx: Context,
  account: Account,
  status: PaymentStatus,
  { charge, answer, result }: Evidence,
): Pick<Change, 'to' | 'detail'> | null {
  const ageMs = ageOf(ctx, charge)
  if (answer.kind === 'not_found') {
    if (result?.kind === 'refused') return { to: 'failed', detail: result.message }
    const isLost = !isKeyKnown(ctx, account, charge) && isLongSinceSent(ctx, charge)
    return isLost ? { to: 'expired', detail: 'the charge never reached the provider' } : null
  }
  if (answer.kind === 'found' || status === 'status_unknown' || isKeyKnown(ctx, account, charge)) return null
  const mayWait = ageMs < ctx.config.operationReviewAfterSeconds * 1000
  return mayWait ? null : { to: 'status_unknown', detail: `the provider does not answer: ${answer.message}` }
}

/** Schedules the next run: soon at first, and later less often. `charge`: the charge whose outcome is awaited. */
async function askLater(
  ctx: Context,
  { merchantId, id, workAttempts }: SubscriptionRecord,
  charge: SubscriptionChargeRecord | null,
  everyMs = intervalOf(charge ? ageOf(ctx, charge) : 0),
  atLeastMs = 0,
): Promise<void> {
  const waitMs = Math.max(backOffMs(workAttempts, everyMs), atLeastMs)
  await rescheduleSubscription(ctx.db, { merchantId, id }, new Date(ctx.clock.now().getTime() + waitMs))
}
