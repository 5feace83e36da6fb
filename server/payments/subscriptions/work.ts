/**
 * A subscription's turn, when it is due: what is under way is followed to its end before anything else is charged.
 * Law: after the note that the provider is told, it is only asked. What is not known holds up the next attempt and the next
 * period, until the provider or an operator says what became of it. A crash at any line leaves what the next turn goes on with.
 */
import type { Context } from '../../context.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import type { ChargeResult, LookUpResult } from '../../providers/driver.ts'
import { isReady, type ReadyRoute } from '../../providers/registry.ts'
import { findPayment, type PaymentRecord } from '../../storage/payments/payments.ts'
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
import { backOffMs } from '../provider-call.ts'
import { askAboutPayment, askProvider } from '../question.ts'
import { isOpen, OVER_UNPAID } from '../status.ts'
import { applyStatus, type Change } from '../transition.ts'
import { beginCharge, dropCharge, noteTold, sendCharge, settleFailed, settlePaid } from './charge.ts'

/** While one process works, the others leave the subscription alone for this long. */
export const SUBSCRIPTION_LEASE_MS = 90_000
/** A charge of which the provider knows nothing for so long has never reached it. */
const LOST_MS = 3_600_000
const DAY_MS = 24 * 3_600_000
/** How often an attempt that is not decided is asked about, by its age. */
const LOOK_AGAIN_MS = [
  { until: LOST_MS, every: 60_000 },
  { until: DAY_MS, every: 15 * 60_000 },
  { until: 7 * DAY_MS, every: 6 * 3_600_000 },
  { until: Number.POSITIVE_INFINITY, every: DAY_MS },
]

/** One turn at a subscription that is due. Throws nothing that a later turn would not mend. */
export async function workOnSubscription(ctx: Context, due: SubscriptionRecord): Promise<void> {
  const route = ctx.routes[due.provider]
  const at = { merchantId: due.merchantId, subscriptionId: due.id }
  const open = await findOpenSubscriptionCharge(ctx.db, at)
  if (!isReady(route) || !route.driver.chargeToken || !route.driver.lookUp) return lookAgain(ctx, due, open)
  if (open?.toldAt) return follow(ctx, route, due, open)
  const late = await listLateSubscriptionCharges(ctx.db, at)
  if (late.length > 0) return settleLate(ctx, due, late, open)
  const current = (await findSubscription(ctx.db, due.merchantId, due.id)) ?? due
  if (current.status === 'cancelled') {
    if (open) await dropCharge(ctx, open)
    return rescheduleSubscription(ctx.db, due, null)
  }
  if (!open && (current.nextChargeAt ?? 0) > ctx.clock.now())
    return rescheduleSubscription(ctx.db, due, current.nextChargeAt)
  const undecided = await findUndecided(ctx, route, current)
  if (!undecided) return charge(ctx, route, current, open)
  const paid = await listLateSubscriptionCharges(ctx.db, at)
  return paid.length > 0 ? settleLate(ctx, due, paid, open) : lookAgain(ctx, current, undecided)
}

/** Makes the attempt, unless it is made, and sends it. */
async function charge(
  ctx: Context,
  route: ReadyRoute,
  subscription: SubscriptionRecord,
  open: SubscriptionChargeRecord | null,
): Promise<void> {
  const made = open ?? (await beginCharge(ctx, route, subscription))
  if (!made) return
  const told = await noteTold(ctx, made)
  if (told)
    return follow(
      ctx,
      route,
      subscription,
      { ...made, toldAt: ctx.clock.now() },
      await sendCharge(ctx, route, told),
    )
  // It moved on without having been told, or somebody else has it in hand; the former is given up.
  const payment = await findPayment(ctx.db, made.merchantId, made.paymentId)
  if (payment && payment.status !== 'created') await dropCharge(ctx, made)
}

/** Money that arrived after its attempt had failed counts for its period. An attempt that waits to be sent is not needed then. */
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
 * Before a period is tried again, the provider has to stand by its word that the attempts before came to nothing. Answers the
 * first of which it does not; null when it does.
 */
async function findUndecided(
  ctx: Context,
  route: ReadyRoute,
  { merchantId, id: subscriptionId, period }: SubscriptionRecord,
): Promise<SubscriptionChargeRecord | null> {
  const charges = await listPeriodCharges(ctx.db, { merchantId, subscriptionId }, period)
  for (const earlier of charges) {
    if (earlier.state !== 'failed' || !earlier.toldAt) continue
    const payment = await getPayment(ctx, earlier)
    const asked = await askProvider(ctx, route, payment)
    if (asked.kind === 'unavailable') return earlier
    if (asked.kind === 'found' && isOpen(asked.snapshot.status)) return earlier
    if (!OVER_UNPAID.includes((await askAboutPayment(ctx, payment, asked)).status)) return earlier
  }
  return null
}

/** What became of an attempt that the provider was told of. `answer`: its own, if it has just been told. */
async function follow(
  ctx: Context,
  route: ReadyRoute,
  subscription: SubscriptionRecord,
  charge: SubscriptionChargeRecord,
  answer?: ChargeResult,
): Promise<void> {
  const known = await getPayment(ctx, charge)
  const asked = await askProvider(ctx, route, known)
  const payment = await concludeLost(ctx, await askAboutPayment(ctx, known, asked), { charge, asked, answer })
  if (isOpen(payment.status)) return lookAgain(ctx, subscription, charge)
  if (!OVER_UNPAID.includes(payment.status)) return settlePaid(ctx, charge)
  const decline = declineOf(asked, answer)
  if (decline) return settleFailed(ctx, charge, decline)
  // Whether it may be tried again is for the provider to say; if it does not for a day, it may.
  return ageOf(ctx, charge) > DAY_MS
    ? settleFailed(ctx, charge, 'soft')
    : lookAgain(ctx, subscription, charge)
}

function declineOf(asked: LookUpResult, answer: ChargeResult | undefined) {
  if (answer?.kind === 'refused') return answer.decline
  if (asked.kind === 'unavailable') return null
  return (asked.kind === 'found' && asked.snapshot.decline) || 'soft'
}

type Known = { charge: SubscriptionChargeRecord; asked: LookUpResult; answer: ChargeResult | undefined }

/** Of a charge that the provider does not know, or that it cannot be asked about. */
async function concludeLost(ctx: Context, payment: PaymentRecord, known: Known): Promise<PaymentRecord> {
  const change = isOpen(payment.status) ? decideLost(ctx, payment.status, known) : null
  return change ? (await applyStatus(ctx, payment, { ...change, cause: 'provider' })).payment : payment
}

function decideLost(
  ctx: Context,
  status: PaymentStatus,
  { charge, asked, answer }: Known,
): Pick<Change, 'to' | 'detail'> | null {
  const ageMs = ageOf(ctx, charge)
  if (asked.kind === 'not_found') {
    if (answer?.kind === 'refused') return { to: 'failed', detail: answer.message }
    return ageMs >= LOST_MS ? { to: 'expired', detail: 'the charge never reached the provider' } : null
  }
  if (asked.kind === 'found' || status === 'status_unknown') return null
  const patient = ageMs < ctx.config.operationReviewAfterSeconds * 1000
  return patient ? null : { to: 'status_unknown', detail: `the provider does not answer: ${asked.message}` }
}

function ageOf(ctx: Context, { toldAt, createdAt }: SubscriptionChargeRecord): number {
  return ctx.clock.now().getTime() - (toldAt ?? createdAt).getTime()
}

/** Soon at first, and then ever more rarely. `behind`: the attempt that is waited for. */
async function lookAgain(
  ctx: Context,
  { merchantId, id, turns }: SubscriptionRecord,
  behind: SubscriptionChargeRecord | null,
): Promise<void> {
  const ageMs = behind ? ageOf(ctx, behind) : 0
  const { every = 0 } = LOOK_AGAIN_MS.find(({ until }) => ageMs < until) ?? {}
  const waitMs = backOffMs(turns, every)
  await rescheduleSubscription(ctx.db, { merchantId, id }, new Date(ctx.clock.now().getTime() + waitMs))
}

async function getPayment(
  ctx: Context,
  { merchantId, paymentId }: Pick<SubscriptionChargeRecord, 'merchantId' | 'paymentId'>,
): Promise<PaymentRecord> {
  const payment = await findPayment(ctx.db, merchantId, paymentId)
  if (!payment) throw new Error(`Bug! A subscription was charged with ${paymentId}, which is not there.`)
  return payment
}
