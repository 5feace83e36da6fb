/**
 * One charge for a period of a subscription, in three steps. Begin: the charge and its payment are stored. Send: see `sending.ts`.
 * Settle: the outcome is stored.
 * Rule: each step is one transaction under the subscription's lock. The database allows one open charge for a subscription and one
 * open or paid charge for a period.
 */
import type { Context } from '../../context.ts'
import type { Decline } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import { afterCommit } from '../../storage/after-commit.ts'
import { inTransaction, type Queryable, type Tx } from '../../storage/db.ts'
import { findOperation } from '../../storage/payments/operations.ts'
import { type AttemptedPayment, withAttempt } from '../../storage/payments/payment.ts'
import { insertPayment } from '../../storage/payments/payment-creation.ts'
import { findPayment, lockPayment } from '../../storage/payments/payments.ts'
import {
  findOpenSubscriptionCharge,
  insertSubscriptionCharge,
  listChargesSincePaid,
  listPeriodCharges,
  type SubscriptionChargeRecord,
  settleSubscriptionCharge,
} from '../../storage/payments/subscription-charges.ts'
import { lockSubscription, type SubscriptionRecord } from '../../storage/payments/subscriptions.ts'
import { lockSavedMethod, type SavedMethodRecord } from '../../storage/saved-methods/saved-methods.ts'
import { deriveName } from '../attempts/reference.ts'
import { newPayment } from '../creation/create.ts'
import { applyStatusIn } from '../transition.ts'
import { periodAt, periodOf } from './calendar.ts'
import { cancelSubscriptionIn, changeSubscriptionIn } from './change.ts'
import { orderOf } from './order-reference.ts'

const DAY_MS = 24 * 3_600_000

type ChargeAddress = Pick<SubscriptionChargeRecord, 'merchantId' | 'subscriptionId'>
const addressOf = ({ merchantId, id: subscriptionId }: SubscriptionRecord): ChargeAddress => ({
  merchantId,
  subscriptionId,
})

/**
 * Stores the charge that is due, and its payment. Returns null when nothing is to be charged now. `found`: the provider has this
 * charge already, because the database is older than the charge.
 */
export async function beginCharge(
  ctx: Context,
  account: Account,
  due: SubscriptionRecord,
  found?: Pick<SubscriptionChargeRecord, 'period' | 'attempt'>,
): Promise<SubscriptionChargeRecord | null> {
  const now = ctx.clock.now()
  return inTransaction(ctx.db, async (tx) => {
    const locked = await lockSubscription(tx, due)
    if (!locked?.nextChargeAt || locked.nextChargeAt > now) return null
    if (await findOpenSubscriptionCharge(tx, addressOf(locked))) return null
    const token = await lockSavedMethod(tx, { merchantId: due.merchantId, id: locked.tokenId })
    if (token?.status !== 'active') {
      await cancelSubscriptionIn(ctx, tx, locked, 'token_revoked')
      return null
    }
    const { period, attempt } = found ?? (await nextCharge(tx, locked, now))
    const payment = await paymentFor(ctx, tx, account, locked, { token, period, attempt })
    await insertPayment(tx, payment)
    await changeSubscriptionIn(ctx, tx, locked, { period, nextChargeAt: null })
    const about = { paymentId: payment.id, subscriptionId: due.id, period, accountId: account.id }
    afterCommit(tx, () => {
      ctx.metrics.paymentCreated(payment.attempt.provider)
      ctx.log.info(about, 'payment of a subscription created')
    })
    return insertSubscriptionCharge(tx, {
      ...addressOf(locked),
      period,
      attempt,
      paymentId: payment.id,
      createdAt: now,
    })
  })
}

/**
 * Returns which period is charged next, and the charge's number within it. This is the period that runs now, also where a charge
 * for an earlier period has failed: periods that have passed completely are not charged. A charge that got lost was sent in time,
 * so it is made again for its own period.
 */
async function nextCharge(tx: Tx, subscription: SubscriptionRecord, now: Date) {
  const { anchorAt, interval, period } = subscription
  const charges = await listPeriodCharges(tx, addressOf(subscription), period)
  if (countLost(charges) > 0) return { period, attempt: charges.length + 1 }
  const isPaid = charges.some(({ state }) => state === 'paid')
  const next = Math.max(isPaid ? period + 1 : period, periodAt(anchorAt, interval, now))
  return { period: next, attempt: next === period ? charges.length + 1 : 1 }
}

/** Returns how many charges of a period got lost, one after the other, since anything else became of one that was sent. */
export function countLost(charges: readonly SubscriptionChargeRecord[]): number {
  const sent = charges.filter(({ sentAt }) => sentAt !== null)
  return sent.length - 1 - sent.findLastIndex(({ state }) => state !== 'lost')
}

/** Until the charge is sent, its payment waits for the provider as long as the period runs. */
async function paymentFor(
  ctx: Context,
  tx: Tx,
  account: Account,
  subscription: SubscriptionRecord,
  { token, period, attempt }: { token: SavedMethodRecord; period: number; attempt: number },
): Promise<AttemptedPayment> {
  const { merchantId, id: subscriptionId, merchantSubscriptionId, amountMinor, currency } = subscription
  const { start, end } = periodOf(subscription.anchorAt, subscription.interval, period)
  const dates = { periodStart: start.toISOString(), periodEnd: end.toISOString() }
  // With it a merchant can tell from an event which period was paid.
  const source = 'subscription'
  const draft = {
    merchantId,
    amountMinor,
    currency,
    provider: account.route,
    description: subscription.description,
    merchantOrderId: orderOf(merchantSubscriptionId, period),
    returnUrl: null,
    customer: token.customer ?? undefined,
    metadata: { ...subscription.metadata, source, subscriptionId, period, attempt, ...dates },
    sold: { periodStart: start, periodEnd: end },
    expiresAt: end,
    singleAttempt: true,
  } as const
  const name = await nameOfCharge(ctx, tx, subscription, { period, attempt })
  const payment = await newPayment(ctx, tx, account, draft, name)
  // No buyer opens this attempt. The charge is sent under the subscription's lock.
  return withAttempt(payment, { state: 'planned', leaseUntil: null, questionDueAt: end })
}

/**
 * Returns the name of a charge's order. It follows from the request that created the subscription, because a subscription that is
 * created again after a restore has another id.
 */
export async function nameOfCharge(
  ctx: Context,
  db: Queryable,
  { merchantId, operationId }: SubscriptionRecord,
  { period, attempt }: Pick<SubscriptionChargeRecord, 'period' | 'attempt'>,
): Promise<string> {
  const operation = await findOperation(db, merchantId, operationId)
  if (!operation) throw new Error(`Bug! The operation ${operationId} of a subscription does not exist.`)
  return deriveName(ctx, [merchantId, operation.scope, operation.key, period, attempt], db)
}

/** Drops a charge that was never sent. Unless the subscription is cancelled, a new charge is due at once. */
export async function dropCharge(ctx: Context, charge: SubscriptionChargeRecord): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    // Lock the payment before the subscription, as every transaction does, so that two transactions cannot deadlock.
    await lockPayment(tx, charge.merchantId, charge.paymentId)
    const locked = await lockSubscription(tx, { merchantId: charge.merchantId, id: charge.subscriptionId })
    const now = ctx.clock.now()
    const dropped = await dropIn(ctx, tx, charge)
    if (dropped && locked && locked.status !== 'cancelled')
      await changeSubscriptionIn(ctx, tx, locked, { nextChargeAt: now, dueAt: now })
  })
}

/** As dropCharge, within the caller's transaction. Returns false, and writes nothing, when the charge was sent or is not open. */
export async function dropIn(ctx: Context, tx: Tx, charge: SubscriptionChargeRecord): Promise<boolean> {
  const [unsent] = (await listPeriodCharges(tx, charge, charge.period)).filter(
    ({ paymentId, sentAt }) => paymentId === charge.paymentId && sentAt === null,
  )
  const settled = { from: 'open', to: 'failed', at: ctx.clock.now() } as const
  if (!unsent || !(await settleSubscriptionCharge(tx, charge, settled))) return false
  const detail = 'this charge was never sent to the provider'
  const at = { merchantId: charge.merchantId, id: charge.paymentId }
  // It may have been sent in hours that a restore has taken from our database, so a person decides about its payment.
  if ((await findPayment(tx, at.merchantId, at.id))?.status === 'status_unknown') return true
  await applyStatusIn(ctx, tx, at, { to: 'cancelled', cause: 'operation', detail })
  return true
}

/** Stores that the charge was paid, and schedules the next period unless the subscription was cancelled meanwhile. */
export async function settlePaid(ctx: Context, charge: SubscriptionChargeRecord): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    const at = { merchantId: charge.merchantId, id: charge.subscriptionId }
    const locked = await lockSubscription(tx, at)
    const others = (await listPeriodCharges(tx, charge, charge.period)).filter(
      ({ paymentId }) => paymentId !== charge.paymentId,
    )
    const isSurplus = others.some(({ state }) => state === 'paid' || state === 'open')
    const to = isSurplus ? 'surplus' : 'paid'
    const settled = await settleSubscriptionCharge(tx, charge, {
      from: charge.state,
      to,
      at: ctx.clock.now(),
    })
    if (!locked || !settled) return
    const { subscriptionId, paymentId, period } = charge
    if (isSurplus)
      afterCommit(tx, () =>
        ctx.log.error(
          { subscriptionId, paymentId, period },
          'a period was paid twice: refund one of its payments',
        ),
      )
    if (isSurplus || locked.status === 'cancelled' || locked.period !== charge.period) return
    const { end } = periodOf(locked.anchorAt, locked.interval, locked.period)
    await changeSubscriptionIn(ctx, tx, locked, { status: 'active', nextChargeAt: end, dueAt: end })
  })
}

/**
 * Stores that the provider never got the charge. Nobody has declined it, so this is no failed attempt, and the subscription's status
 * stays. It is made again at once, and a day later each time if that gets lost too. Returns how many got lost, one after the other.
 */
export async function settleLost(ctx: Context, charge: SubscriptionChargeRecord): Promise<number> {
  return inTransaction(ctx.db, async (tx) => {
    const locked = await lockSubscription(tx, { merchantId: charge.merchantId, id: charge.subscriptionId })
    const now = ctx.clock.now()
    const settled = await settleSubscriptionCharge(tx, charge, { from: 'open', to: 'lost', at: now })
    if (!locked || !settled || locked.status === 'cancelled') return 0
    const times = countLost(await listPeriodCharges(tx, charge, charge.period))
    const againAt = new Date(now.getTime() + (times - 1) * DAY_MS)
    await changeSubscriptionIn(ctx, tx, locked, { nextChargeAt: againAt, dueAt: againAt })
    return times
  })
}

/** Stores that the charge failed. Schedules another charge, or cancels the subscription after the last one or a hard decline. */
export async function settleFailed(
  ctx: Context,
  charge: SubscriptionChargeRecord,
  decline: Decline,
): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    const locked = await lockSubscription(tx, { merchantId: charge.merchantId, id: charge.subscriptionId })
    const now = ctx.clock.now()
    const settled = await settleSubscriptionCharge(tx, charge, { from: 'open', to: 'failed', at: now })
    if (!locked || !settled || locked.status === 'cancelled') return
    if (decline === 'hard') return void (await cancelSubscriptionIn(ctx, tx, locked, 'hard_decline'))
    // Tries are counted over all periods since the last paid one: retries may go on for longer than a period.
    const sent = (await listChargesSincePaid(tx, charge)).filter(
      ({ sentAt, state }) => sentAt && state !== 'lost',
    )
    const delaySeconds = ctx.config.dunningDelaysSeconds[sent.length - 1]
    if (delaySeconds === undefined)
      return void (await cancelSubscriptionIn(ctx, tx, locked, 'retries_exhausted'))
    const retryAt = new Date((charge.sentAt ?? now).getTime() + delaySeconds * 1000)
    await changeSubscriptionIn(ctx, tx, locked, { status: 'past_due', nextChargeAt: retryAt, dueAt: retryAt })
  })
}
