/**
 * One charge for a period of a subscription, in three steps. Begin: the charge and its payment are stored. Send: `toldAt` is
 * stored, and then the charge is sent to the provider, once. Settle: the outcome is stored.
 * Rule: each step is one transaction under the subscription's lock. The database allows one open charge for a subscription and one
 * open or paid charge for a period.
 */
import type { Context } from '../../context.ts'
import { findShownName } from '../../merchants/branding.ts'
import type { ChargeResult, Decline, TokenCharge } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import { insertPayment } from '../../storage/payments/payment-creation.ts'
import { lockPayment, type PaymentRecord } from '../../storage/payments/payments.ts'
import { updateProviderState } from '../../storage/payments/provider-orders.ts'
import { lockSavedMethod, type SavedMethodRecord } from '../../storage/payments/saved-methods.ts'
import {
  findOpenSubscriptionCharge,
  insertSubscriptionCharge,
  listChargesSincePaid,
  listPeriodCharges,
  type SubscriptionChargeRecord,
  settleSubscriptionCharge,
  tellSubscriptionCharge,
} from '../../storage/payments/subscription-charges.ts'
import { lockSubscription, type SubscriptionRecord } from '../../storage/payments/subscriptions.ts'
import { newPayment } from '../creation/create.ts'
import { callbackUrlOf, callProvider, explainCallFailure } from '../provider-call.ts'
import { applyStatusIn, SUBSCRIPTION_SOURCE } from '../transition.ts'
import { periodAt, periodOf } from './calendar.ts'
import { cancelSubscriptionIn, changeSubscriptionIn } from './change.ts'
import { orderOf } from './order-reference.ts'

const CHARGE_TIMEOUT_MS = 20_000
/** After this time a charge's payment expires. Until the provider has finished with the charge, nothing else is charged. */
const CHARGE_TTL_MS = 24 * 3_600_000

type ChargeAddress = Pick<SubscriptionChargeRecord, 'merchantId' | 'subscriptionId'>
const addressOf = ({ merchantId, id: subscriptionId }: SubscriptionRecord): ChargeAddress => ({
  merchantId,
  subscriptionId,
})

/** Stores the charge that is due, and its payment. Returns null when nothing is to be charged now. */
export async function beginCharge(
  ctx: Context,
  account: Account,
  due: SubscriptionRecord,
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
    const { period, attempt } = await nextCharge(tx, locked, now)
    const payment = await paymentFor(ctx, tx, account, locked, { token, period, attempt })
    await insertPayment(tx, payment)
    await changeSubscriptionIn(ctx, tx, locked, { period, nextChargeAt: null })
    ctx.metrics.paymentCreated(payment.provider)
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
 * for an earlier period has failed: periods that have passed completely are not charged.
 */
async function nextCharge(tx: Tx, subscription: SubscriptionRecord, now: Date) {
  const { anchorAt, interval, period } = subscription
  const charges = await listPeriodCharges(tx, addressOf(subscription), period)
  const isPaid = charges.some(({ state }) => state === 'paid')
  const next = Math.max(isPaid ? period + 1 : period, periodAt(anchorAt, interval, now))
  return { period: next, attempt: next === period ? charges.length + 1 : 1 }
}

function paymentFor(
  ctx: Context,
  tx: Tx,
  account: Account,
  subscription: SubscriptionRecord,
  { token, period, attempt }: { token: SavedMethodRecord; period: number; attempt: number },
): Promise<PaymentRecord> {
  const { merchantId, id: subscriptionId, merchantSubscriptionId, amountMinor, currency } = subscription
  const { start, end } = periodOf(subscription.anchorAt, subscription.interval, period)
  const dates = { periodStart: start.toISOString(), periodEnd: end.toISOString() }
  return newPayment(ctx, tx, account, {
    merchantId,
    amountMinor,
    currency,
    provider: account.route,
    description: subscription.description,
    merchantOrderId: orderOf(merchantSubscriptionId, period),
    returnUrl: null,
    customer: token.customer ?? undefined,
    metadata: {
      ...subscription.metadata,
      source: SUBSCRIPTION_SOURCE,
      subscriptionId,
      period,
      attempt,
      ...dates,
    },
    expiresAt: new Date(ctx.clock.now().getTime() + CHARGE_TTL_MS),
    singleAttempt: true,
  })
}

/**
 * Stores that the charge is sent now (`toldAt`), and sets its payment to `pending_payment`. After this the charge is never sent
 * again. Returns null when it must not be sent, or when another process is sending it.
 */
export async function markSent(
  ctx: Context,
  charge: SubscriptionChargeRecord,
): Promise<{ payment: PaymentRecord; token: SavedMethodRecord } | null> {
  const { merchantId, subscriptionId, paymentId } = charge
  return inTransaction(ctx.db, async (tx) => {
    const created = await lockPayment(tx, merchantId, paymentId)
    const subscription = await lockSubscription(tx, { merchantId, id: subscriptionId })
    if (!created || !subscription)
      throw new Error(`Bug! The charge ${paymentId} has no payment or no subscription.`)
    const token = await lockSavedMethod(tx, { merchantId, id: subscription.tokenId })
    if (token?.status !== 'active' || subscription.status === 'cancelled') {
      await dropIn(ctx, tx, charge)
      if (subscription.status !== 'cancelled')
        await cancelSubscriptionIn(ctx, tx, subscription, 'token_revoked')
      return null
    }
    if (created.status !== 'created') return null
    if (!(await tellSubscriptionCharge(tx, charge, ctx.clock.now()))) return null
    const change = { to: 'pending_payment', cause: 'operation', detail: subscriptionId } as const
    const { payment } = await applyStatusIn(ctx, tx, created, change)
    return { payment, token }
  })
}

/** Sends the charge, and stores what it is found with. The result proves nothing, so the caller asks the provider afterwards. */
export async function sendCharge(
  ctx: Context,
  account: Account,
  { payment, token }: { payment: PaymentRecord; token: SavedMethodRecord },
): Promise<ChargeResult> {
  const { providerReference: reference, amountMinor, currency, description, metadata, customer } = payment
  const charge = {
    ...{ reference, amountMinor, currency, description, metadata, customer },
    orderReference: payment.merchantOrderId,
    merchantName: await findShownName(ctx, payment.merchantId, payment.locale),
    returnUrl: `${ctx.baseUrl}/checkout/${payment.id}/return`,
    callbackUrl: callbackUrlOf(ctx, account),
    token: { reference: token.providerReference, state: token.providerState },
  }
  const result = await chargeOnce(ctx, account, charge, payment.id)
  if (result.state !== undefined) await updateProviderState(ctx.db, payment, result.state)
  return result
}

async function chargeOnce(
  ctx: Context,
  account: Account,
  charge: TokenCharge,
  about: string,
): Promise<ChargeResult> {
  try {
    const { chargeToken } = account.driver
    if (!chargeToken)
      return { kind: 'unknown', message: `the provider account ${account.id} cannot charge saved methods` }
    return await callProvider(ctx, account, { timeoutMs: CHARGE_TIMEOUT_MS, about }, (call) =>
      chargeToken(call, charge),
    )
  } catch (error) {
    return { kind: 'unknown', message: explainCallFailure(ctx, error) }
  }
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

/** Returns false, and writes nothing, when the charge has been sent or is no longer open. */
async function dropIn(ctx: Context, tx: Tx, charge: SubscriptionChargeRecord): Promise<boolean> {
  const [unsent] = (await listPeriodCharges(tx, charge, charge.period)).filter(
    ({ paymentId, toldAt }) => paymentId === charge.paymentId && toldAt === null,
  )
  const settled = { from: 'open', to: 'failed', at: ctx.clock.now() } as const
  if (!unsent || !(await settleSubscriptionCharge(tx, charge, settled))) return false
  const detail = 'this charge was never sent to the provider'
  const at = { merchantId: charge.merchantId, id: charge.paymentId }
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
    if (isSurplus) ctx.log.error({ ...charge }, 'a period was paid twice: refund one of its payments')
    if (isSurplus || locked.status === 'cancelled' || locked.period !== charge.period) return
    const { end } = periodOf(locked.anchorAt, locked.interval, locked.period)
    await changeSubscriptionIn(ctx, tx, locked, { status: 'active', nextChargeAt: end, dueAt: end })
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
    const sent = (await listChargesSincePaid(tx, charge)).filter(({ toldAt }) => toldAt)
    const delaySeconds = ctx.config.dunningDelaysSeconds[sent.length - 1]
    if (delaySeconds === undefined)
      return void (await cancelSubscriptionIn(ctx, tx, locked, 'retries_exhausted'))
    const retryAt = new Date((charge.toldAt ?? now).getTime() + delaySeconds * 1000)
    await changeSubscriptionIn(ctx, tx, locked, { status: 'past_due', nextChargeAt: retryAt, dueAt: retryAt })
  })
}
