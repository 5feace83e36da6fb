/**
 * One attempt to charge a period: begun (a payment that nobody knows of yet), told (noted, then sent, once), and settled.
 * Law: each step is one write under the subscription's lock; where the database refuses a second attempt, there is none.
 */
import type { Context } from '../../context.ts'
import { findMerchantCached } from '../../merchants/merchant.ts'
import type { ChargeResult, Decline } from '../../providers/driver.ts'
import type { ReadyRoute } from '../../providers/registry.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import { insertPayment } from '../../storage/payments/payment-creation.ts'
import { lockPayment, type PaymentRecord } from '../../storage/payments/payments.ts'
import { lockSavedMethod, type SavedMethodRecord } from '../../storage/payments/saved-methods.ts'
import {
  findOpenSubscriptionCharge,
  insertSubscriptionCharge,
  listPeriodCharges,
  type SubscriptionChargeRecord,
  settleSubscriptionCharge,
  tellSubscriptionCharge,
} from '../../storage/payments/subscription-charges.ts'
import { lockSubscription, type SubscriptionRecord } from '../../storage/payments/subscriptions.ts'
import { newPayment } from '../creation/create.ts'
import { providerCall, within } from '../provider-call.ts'
import { applyStatusIn, SUBSCRIPTION_SOURCE } from '../transition.ts'
import { periodAt, periodOf } from './calendar.ts'
import { cancelSubscriptionIn, changeSubscriptionIn } from './change.ts'

const CHARGE_TIMEOUT_MS = 20_000
const ORDER_MAX_CHARS = 120
/** What the provider has in hand for longer has expired, and comes late if it comes: until it is over, nothing else is charged. */
const CHARGE_TTL_MS = 24 * 3_600_000

type Of = Pick<SubscriptionChargeRecord, 'merchantId' | 'subscriptionId'>
const of = ({ merchantId, id: subscriptionId }: SubscriptionRecord): Of => ({ merchantId, subscriptionId })

/** Makes the attempt that is due, and its payment. Null: there is nothing to be charged now, or not any more. */
export async function beginCharge(
  ctx: Context,
  route: ReadyRoute,
  due: SubscriptionRecord,
): Promise<SubscriptionChargeRecord | null> {
  const now = ctx.clock.now()
  return inTransaction(ctx.db, async (tx) => {
    const locked = await lockSubscription(tx, due)
    if (!locked?.nextChargeAt || locked.nextChargeAt > now) return null
    if (await findOpenSubscriptionCharge(tx, of(locked))) return null
    const token = await lockSavedMethod(tx, { merchantId: due.merchantId, id: locked.tokenId })
    if (token?.status !== 'active') {
      await cancelSubscriptionIn(ctx, tx, locked, 'token_revoked')
      return null
    }
    const { period, attempt } = await nextAttempt(tx, locked, now)
    const payment = paymentFor(ctx, route, locked, { token, period, attempt })
    await insertPayment(tx, payment)
    await changeSubscriptionIn(ctx, tx, locked, { period, nextChargeAt: null })
    ctx.metrics.paymentCreated(payment.provider)
    return insertSubscriptionCharge(tx, {
      ...of(locked),
      period,
      attempt,
      paymentId: payment.id,
      createdAt: now,
    })
  })
}

/** After a paid period comes the next one, or the one that is running now: periods that have passed whole are not charged. */
async function nextAttempt(tx: Tx, { anchorAt, interval, period, ...rest }: SubscriptionRecord, now: Date) {
  const at = { merchantId: rest.merchantId, subscriptionId: rest.id }
  const charges = await listPeriodCharges(tx, at, period)
  if (!charges.some(({ state }) => state === 'paid')) return { period, attempt: charges.length + 1 }
  return { period: Math.max(period + 1, periodAt(anchorAt, interval, now)), attempt: 1 }
}

function paymentFor(
  ctx: Context,
  route: ReadyRoute,
  subscription: SubscriptionRecord,
  { token, period, attempt }: { token: SavedMethodRecord; period: number; attempt: number },
): PaymentRecord {
  const { merchantId, id: subscriptionId, merchantSubscriptionId, amountMinor, currency } = subscription
  const { start, end } = periodOf(subscription.anchorAt, subscription.interval, period)
  const suffix = `/${period}`
  const dates = { periodStart: start.toISOString(), periodEnd: end.toISOString() }
  return newPayment(ctx, route, {
    merchantId,
    amountMinor,
    currency,
    provider: route.route,
    description: subscription.description,
    merchantOrderId: merchantSubscriptionId.slice(0, ORDER_MAX_CHARS - suffix.length) + suffix,
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
  })
}

/**
 * Notes that the provider is about to be told, and takes the payment on its way. Null: it must not be told, or somebody else
 * has it in hand. From here on this attempt is never sent again.
 */
export async function noteTold(
  ctx: Context,
  charge: SubscriptionChargeRecord,
): Promise<{ payment: PaymentRecord; token: SavedMethodRecord } | null> {
  const { merchantId, subscriptionId, paymentId } = charge
  return inTransaction(ctx.db, async (tx) => {
    const created = await lockPayment(tx, merchantId, paymentId)
    const subscription = await lockSubscription(tx, { merchantId, id: subscriptionId })
    if (!created || !subscription) throw new Error(`Bug! The charge of ${paymentId} is of nothing.`)
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

/** Sends the charge. Whatever comes back, or does not, the provider is asked afterwards. */
export async function sendCharge(
  ctx: Context,
  route: ReadyRoute,
  { payment, token }: { payment: PaymentRecord; token: SavedMethodRecord },
): Promise<ChargeResult> {
  const merchant = await findMerchantCached(ctx, payment.merchantId)
  const { providerReference: reference, amountMinor, currency, description, metadata } = payment
  const order = {
    reference,
    amountMinor,
    currency,
    description,
    metadata,
    merchantName: merchant?.name ?? '',
  }
  const charge = {
    ...order,
    callbackUrl: `${ctx.baseUrl}/callbacks/${ctx.world}/${payment.provider}`,
    token: { reference: token.providerReference, state: token.providerState },
  }
  try {
    if (!route.driver.chargeToken) return { kind: 'unknown', message: `${route.route} cannot charge` }
    return await within(CHARGE_TIMEOUT_MS, route.driver.chargeToken(providerCall(ctx, route), charge))
  } catch (error) {
    return { kind: 'unknown', message: String(error) }
  }
}

/** Gives up an attempt that nobody was told of; unless the subscription is cancelled, another one is due at once. */
export async function dropCharge(ctx: Context, charge: SubscriptionChargeRecord): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    // The payment is locked first, as everywhere.
    await lockPayment(tx, charge.merchantId, charge.paymentId)
    const locked = await lockSubscription(tx, { merchantId: charge.merchantId, id: charge.subscriptionId })
    const now = ctx.clock.now()
    const dropped = await dropIn(ctx, tx, charge)
    if (dropped && locked && locked.status !== 'cancelled')
      await changeSubscriptionIn(ctx, tx, locked, { nextChargeAt: now, dueAt: now })
  })
}

async function dropIn(ctx: Context, tx: Tx, charge: SubscriptionChargeRecord): Promise<boolean> {
  const [still] = (await listPeriodCharges(tx, charge, charge.period)).filter(
    ({ paymentId, toldAt }) => paymentId === charge.paymentId && toldAt === null,
  )
  const settled = { from: 'open', to: 'failed', at: ctx.clock.now() } as const
  if (!still || !(await settleSubscriptionCharge(tx, charge, settled))) return false
  const detail = 'nobody was told of this attempt'
  const at = { merchantId: charge.merchantId, id: charge.paymentId }
  await applyStatusIn(ctx, tx, at, { to: 'cancelled', cause: 'operation', detail })
  return true
}

/** The period is paid: on to the next, unless it was cancelled meanwhile. */
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
    if (isSurplus)
      ctx.log.error({ ...charge }, 'a period was paid twice: one of the payments is to be refunded')
    if (isSurplus || locked.status === 'cancelled' || locked.period !== charge.period) return
    const { end } = periodOf(locked.anchorAt, locked.interval, locked.period)
    await changeSubscriptionIn(ctx, tx, locked, { status: 'active', nextChargeAt: end, dueAt: end })
  })
}

/** The attempt came to nothing: there is another one later, or, after the last or a hard decline, none. */
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
    const told = (await listPeriodCharges(tx, charge, charge.period)).filter(({ toldAt }) => toldAt)
    const delaySeconds = ctx.config.dunningDelaysSeconds[told.length - 1]
    if (delaySeconds === undefined)
      return void (await cancelSubscriptionIn(ctx, tx, locked, 'retries_exhausted'))
    const again = new Date((charge.toldAt ?? now).getTime() + delaySeconds * 1000)
    await changeSubscriptionIn(ctx, tx, locked, { status: 'past_due', nextChargeAt: again, dueAt: again })
  })
}
