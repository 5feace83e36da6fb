/**
 * Works on a subscription that is due. A charge that has been sent must have an outcome before anything else is charged.
 * Rule: once a charge's `toldAt` is stored, the charge is not sent again and the provider is only asked. A charge with an unknown
 * outcome blocks the next charge and the next period, until the provider or an operator decides. After a crash at any line, the
 * next run continues from the stored state.
 */
import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import type { ChargeResult, LookUpResult } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import { findPayment, type PaymentRecord } from '../../storage/payments/payments.ts'
import {
  findOpenSubscriptionCharge,
  listChargesSincePaid,
  listLateSubscriptionCharges,
  type SubscriptionChargeRecord,
} from '../../storage/payments/subscription-charges.ts'
import {
  findSubscription,
  rescheduleSubscription,
  type SubscriptionRecord,
} from '../../storage/payments/subscriptions.ts'
import { refusalOf } from '../capability.ts'
import { backOffMs } from '../provider-call.ts'
import { askAboutPayment, askProvider } from '../question.ts'
import { isOpen, OVER_UNPAID } from '../status.ts'
import { applyStatus, type Change } from '../transition.ts'
import { periodAt } from './calendar.ts'
import { beginCharge, dropCharge, markSent, sendCharge, settleFailed, settlePaid } from './charge.ts'

/** While one process works on a subscription, other processes skip the subscription for this long. */
export const SUBSCRIPTION_LEASE_MS = 90_000
/** A charge that the provider still does not know after this time has never reached the provider. */
const LOST_MS = 3_600_000
const DAY_MS = 24 * 3_600_000
/** How often the provider is asked about a charge without an outcome, by the charge's age. */
const QUESTION_INTERVALS_MS = [
  { until: LOST_MS, every: 60_000 },
  { until: DAY_MS, every: 15 * 60_000 },
  { until: 7 * DAY_MS, every: 6 * 3_600_000 },
  { until: Number.POSITIVE_INFINITY, every: DAY_MS },
]

/** Works once on a subscription that is due. If it throws, a later run continues from the stored state. */
export async function workOnSubscription(ctx: Context, due: SubscriptionRecord): Promise<void> {
  const account = await findAccount(ctx, due.accountId)
  const at = { merchantId: due.merchantId, subscriptionId: due.id }
  const open = await findOpenSubscriptionCharge(ctx.db, at)
  if (!account?.driver.chargeToken || !account.driver.lookUp) return askLater(ctx, due, open)
  if (open?.toldAt) return followUp(ctx, account, due, open)
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
  if (refusalOf(account, 'subscriptions')) return askLater(ctx, due, open)
  const undecided = await findUndecided(ctx, account, current)
  if (!undecided) return sendNextCharge(ctx, account, current, open)
  const paid = await listLateSubscriptionCharges(ctx.db, at)
  return paid.length > 0 ? settleLate(ctx, due, paid, open) : askLater(ctx, current, undecided)
}

/** Sends the open charge. Creates one first if there is none. An open charge whose period has ended is dropped instead. */
async function sendNextCharge(
  ctx: Context,
  account: Account,
  subscription: SubscriptionRecord,
  open: SubscriptionChargeRecord | null,
): Promise<void> {
  const { anchorAt, interval } = subscription
  if (open && open.period < periodAt(anchorAt, interval, ctx.clock.now())) return dropCharge(ctx, open)
  const charge = open ?? (await beginCharge(ctx, account, subscription))
  if (!charge) return
  const sent = await markSent(ctx, charge)
  if (sent) {
    const sentCharge = { ...charge, toldAt: ctx.clock.now() }
    return followUp(ctx, account, subscription, sentCharge, await sendCharge(ctx, account, sent))
  }
  // Either the payment's status changed before the charge was sent, and the charge is dropped. Or another process is sending it.
  const payment = await findPayment(ctx.db, charge.merchantId, charge.paymentId)
  if (payment && payment.status !== 'created') await dropCharge(ctx, charge)
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
 * Before a charge is sent, the provider must confirm that each charge since the last paid period failed. Returns the first charge
 * that the provider does not confirm as failed; null when all are confirmed.
 */
async function findUndecided(
  ctx: Context,
  account: Account,
  { merchantId, id: subscriptionId }: SubscriptionRecord,
): Promise<SubscriptionChargeRecord | null> {
  const charges = await listChargesSincePaid(ctx.db, { merchantId, subscriptionId })
  for (const earlier of charges) {
    if (earlier.state !== 'failed' || !earlier.toldAt) continue
    const payment = await getPayment(ctx, earlier)
    const answer = await askProvider(ctx, account, payment)
    if (answer.kind === 'unavailable') return earlier
    if (answer.kind === 'found' && isOpen(answer.snapshot.status)) return earlier
    if (!OVER_UNPAID.includes((await askAboutPayment(ctx, payment, answer)).status)) return earlier
  }
  return null
}

/** Finds out the outcome of a charge that has been sent. `result`: the provider's answer, if the charge was sent just now. */
async function followUp(
  ctx: Context,
  account: Account,
  subscription: SubscriptionRecord,
  charge: SubscriptionChargeRecord,
  result?: ChargeResult,
): Promise<void> {
  const known = await getPayment(ctx, charge)
  const answer = await askProvider(ctx, account, known)
  const current = await askAboutPayment(ctx, known, answer)
  const payment = await endIfLost(ctx, current, { charge, answer, result })
  if (isOpen(payment.status)) return askLater(ctx, subscription, charge)
  if (!OVER_UNPAID.includes(payment.status)) return settlePaid(ctx, charge)
  const decline = declineOf(answer, result)
  if (decline) return settleFailed(ctx, charge, decline)
  // Only the provider can say whether another charge may succeed. If it does not say so within a day, we charge again.
  return ageOf(ctx, charge) > DAY_MS ? settleFailed(ctx, charge, 'soft') : askLater(ctx, subscription, charge)
}

function declineOf(answer: LookUpResult, result: ChargeResult | undefined) {
  if (result?.kind === 'refused') return result.decline
  if (answer.kind === 'unavailable') return null
  return (answer.kind === 'found' && answer.snapshot.decline) || 'soft'
}

/** `answer`: to the question how the payment stands. `result`: of sending the charge. */
type Evidence = { charge: SubscriptionChargeRecord; answer: LookUpResult; result: ChargeResult | undefined }

/** Ends the payment of a charge that the provider does not know, or that it cannot be asked about. */
async function endIfLost(ctx: Context, payment: PaymentRecord, evidence: Evidence): Promise<PaymentRecord> {
  const change = isOpen(payment.status) ? decideLost(ctx, payment.status, evidence) : null
  return change ? (await applyStatus(ctx, payment, { ...change, cause: 'provider' })).payment : payment
}

function decideLost(
  ctx: Context,
  status: PaymentStatus,
  { charge, answer, result }: Evidence,
): Pick<Change, 'to' | 'detail'> | null {
  const ageMs = ageOf(ctx, charge)
  if (answer.kind === 'not_found') {
    if (result?.kind === 'refused') return { to: 'failed', detail: result.message }
    return ageMs >= LOST_MS ? { to: 'expired', detail: 'the charge never reached the provider' } : null
  }
  if (answer.kind === 'found' || status === 'status_unknown') return null
  const mayWait = ageMs < ctx.config.operationReviewAfterSeconds * 1000
  return mayWait ? null : { to: 'status_unknown', detail: `the provider does not answer: ${answer.message}` }
}

function ageOf(ctx: Context, { toldAt, createdAt }: SubscriptionChargeRecord): number {
  return ctx.clock.now().getTime() - (toldAt ?? createdAt).getTime()
}

/** Schedules the next run: soon at first, and later less often. `charge`: the charge whose outcome is awaited. */
async function askLater(
  ctx: Context,
  { merchantId, id, turns }: SubscriptionRecord,
  charge: SubscriptionChargeRecord | null,
): Promise<void> {
  const ageMs = charge ? ageOf(ctx, charge) : 0
  const { every = 0 } = QUESTION_INTERVALS_MS.find(({ until }) => ageMs < until) ?? {}
  const waitMs = backOffMs(turns, every)
  await rescheduleSubscription(ctx.db, { merchantId, id }, new Date(ctx.clock.now().getTime() + waitMs))
}

async function getPayment(
  ctx: Context,
  { merchantId, paymentId }: Pick<SubscriptionChargeRecord, 'merchantId' | 'paymentId'>,
): Promise<PaymentRecord> {
  const payment = await findPayment(ctx.db, merchantId, paymentId)
  if (!payment) throw new Error(`Bug! The payment ${paymentId} of a subscription's charge does not exist.`)
  return payment
}
