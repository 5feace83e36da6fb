/**
 * Sending a charge to the provider. The request is stored before it is sent, together with the time (`sentAt`). So after a lost response
 * or a crash any process can send the same request again, as long as the provider still knows its key.
 * Rule: a request that certainly did not leave is taken back. It was no attempt to charge, and says nothing about the buyer.
 */
import { LONGEST_WRITE_MS, limitsOfCall } from '../../accounts/call-timeouts.ts'
import type { Context } from '../../context.ts'
import { referenceOf } from '../../id.ts'
import { findShownName } from '../../merchants/branding.ts'
import type { ChargeResult, TokenCharge } from '../../providers/driver.ts'
import { type Account, keyLifetimeMs } from '../../providers/registry.ts'
import { inTransaction } from '../../storage/db.ts'
import { moveChargeAttempt } from '../../storage/payments/attempt-orders.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPayment, lockPayment } from '../../storage/payments/payments.ts'
import { updateProviderState } from '../../storage/payments/provider-orders.ts'
import {
  markSubscriptionChargeResent,
  markSubscriptionChargeSent,
  type SubscriptionChargeRecord,
  unmarkSubscriptionChargeSent,
} from '../../storage/payments/subscription-charges.ts'
import {
  findSubscription,
  lockSubscription,
  type SubscriptionRecord,
} from '../../storage/payments/subscriptions.ts'
import { lockSavedMethod, type SavedMethodRecord } from '../../storage/saved-methods/saved-methods.ts'
import { sendToProvider, type Unsent } from '../attempts/send-to-provider.ts'
import { type Calling, callbackUrlOf } from '../provider-call.ts'
import { firstQuestionAt } from '../question-schedule.ts'
import { isOpen } from '../status.ts'
import { applyStatusIn, type Change } from '../transition.ts'
import { periodOf } from './calendar.ts'
import { cancelSubscriptionIn } from './change.ts'
import { dropIn } from './charge.ts'

/** A charge's payment expires this long after the charge was sent. Until the provider has finished with it, nothing else is charged. */
const CHARGE_TTL_MS = 24 * 3_600_000

/**
 * What the provider is sent besides the payment's own terms. All of it could be different later: the shop's name, our address,
 * the saved method. It contains nothing about the buyer but the provider's own ids.
 */
type ChargeRequest = Pick<TokenCharge, 'merchantName' | 'returnUrl' | 'callbackUrl' | 'token'>

export type Sendable = { charge: SubscriptionChargeRecord; payment: AttemptedPayment }

/**
 * Stores what is sent and when (`sentAt`), and sets the charge's payment to `pending_payment`. Returns null when the charge must
 * not be sent, or when another process is sending it.
 */
export async function markSent(
  ctx: Context,
  account: Account,
  charge: SubscriptionChargeRecord,
): Promise<Sendable | null> {
  const { merchantId, subscriptionId, paymentId } = charge
  const merchantName = await findShownName(ctx, merchantId, null)
  return inTransaction(ctx.db, async (tx) => {
    const unsent = await lockPayment(tx, merchantId, paymentId)
    const subscription = await lockSubscription(tx, { merchantId, id: subscriptionId })
    if (!unsent || !subscription)
      throw new Error(`Bug! The charge ${paymentId} has no payment or no subscription.`)
    const token = await lockSavedMethod(tx, { merchantId, id: subscription.tokenId })
    if (token?.status !== 'active' || subscription.status === 'cancelled') {
      await dropIn(ctx, tx, charge)
      if (subscription.status !== 'cancelled')
        await cancelSubscriptionIn(ctx, tx, subscription, 'token_revoked')
      return null
    }
    if (unsent.status !== 'created' && unsent.status !== 'pending_payment') return null
    const now = ctx.clock.now()
    const request = requestOf(ctx, account, { paymentId, merchantName, token })
    const marked = await markSubscriptionChargeSent(tx, charge, { request, at: now })
    if (!marked) return null
    await moveChargeAttempt(tx, unsent.attempt, {
      state: 'opening',
      begunAt: now,
      expiresAt: new Date(now.getTime() + CHARGE_TTL_MS),
      questionDueAt: firstQuestionAt(ctx, now),
    })
    const change: Change = { to: 'pending_payment', cause: 'operation', detail: subscriptionId }
    const { payment } = await applyStatusIn(ctx, tx, unsent, change)
    return { charge: marked, payment }
  })
}

function requestOf(
  ctx: Context,
  account: Account,
  { paymentId, merchantName, token }: { paymentId: string; merchantName: string; token: SavedMethodRecord },
): ChargeRequest {
  return {
    merchantName,
    returnUrl: `${ctx.baseUrl}/checkout/${paymentId}/return`,
    callbackUrl: callbackUrlOf(ctx, account),
    token: { reference: token.providerReference, state: token.providerState },
  }
}

/**
 * Returns the charge if it may be sent again: the provider still knows its key, nobody knows its outcome, and the buyer has not
 * cancelled meanwhile.
 */
export async function markSentAgain(
  ctx: Context,
  account: Account,
  charge: SubscriptionChargeRecord,
): Promise<Sendable | null> {
  const { merchantId, subscriptionId: id, paymentId } = charge
  if (!isKeyKnown(ctx, account, charge)) return null
  const payment = await findPayment(ctx.db, merchantId, paymentId)
  const subscription = await findSubscription(ctx.db, merchantId, id)
  if (
    !payment ||
    payment.attempt.underWaySince ||
    !isOpen(payment.status) ||
    subscription?.status === 'cancelled'
  )
    return null
  const marked = await markSubscriptionChargeResent(ctx.db, charge, ctx.clock.now())
  return marked && { charge: marked, payment }
}

/**
 * Whether the provider takes the money of this charge once, however often it is sent. It may have forgotten a key that is about to
 * reach its lifetime.
 */
export function isKeyKnown(ctx: Context, account: Account, { sentAt }: SubscriptionChargeRecord): boolean {
  if (sentAt === null) return false
  const knownForMs = keyLifetimeMs(account, 'charge') - 2 * LONGEST_WRITE_MS
  return ctx.clock.now().getTime() - sentAt.getTime() < knownForMs
}

/** The request certainly did not leave, so it is sent as if for the first time when the provider can be reached. */
export async function unmarkSent(
  ctx: Context,
  { charge, payment }: Sendable,
  { anchorAt, interval }: SubscriptionRecord,
  { isRefused = false }: { isRefused?: boolean },
): Promise<void> {
  const { end } = periodOf(anchorAt, interval, charge.period)
  await inTransaction(ctx.db, async (tx) => {
    await lockPayment(tx, payment.merchantId, payment.id)
    if (!(await unmarkSubscriptionChargeSent(tx, charge, isRefused))) return
    await moveChargeAttempt(tx, payment.attempt, { state: 'planned', expiresAt: end, questionDueAt: end })
  })
}

/** `isRefused`: the provider refused the account, and not the buyer, so nothing was charged. */
export type Sent = ChargeResult | (Unsent & { isRefused?: boolean })

/** Sends the charge, and stores what it is found with. The result proves nothing, so the caller asks the provider afterwards. */
export async function sendCharge(
  ctx: Context,
  account: Account,
  { charge: { request, updatedAt, refusedTimes }, payment }: Sendable,
): Promise<Sent> {
  const { merchantOrderId: orderReference, amountMinor, currency } = payment
  const { description, metadata, customer, attempt } = payment
  const { reference } = attempt
  const terms = {
    reference,
    orderReference,
    paymentReference: referenceOf(payment.id),
    amountMinor,
    currency,
    description,
    metadata,
    customer,
    refusedTimes,
    state: attempt.providerState,
  }
  const limits = limitsOfCall(account, 'writing')
  const calling = {
    lane: 'money' as const,
    right: 'subscriptions' as const,
    isTaking: true as const,
    ...limits,
    sendUntil: new Date(updatedAt.getTime() + limits.timeoutMs),
    about: payment.id,
    keepState: (state: unknown) => updateProviderState(ctx.db, attempt, state),
  }
  const result = await send(ctx, account, { ...(request as ChargeRequest), ...terms }, calling)
  ctx.log.info({ paymentId: payment.id, accountId: account.id, answer: result.kind }, 'charge sent')
  if ('state' in result && result.state !== undefined)
    await updateProviderState(ctx.db, payment.attempt, result.state)
  return result
}

async function send(ctx: Context, account: Account, charge: TokenCharge, calling: Calling): Promise<Sent> {
  const { chargeToken } = account.driver
  if (!chargeToken)
    return { kind: 'unsent', message: `the provider account ${account.id} cannot charge saved methods` }
  const answer = await sendToProvider(ctx, account, calling, (call) => chargeToken(call, charge))
  if (answer.kind === 'refused' && !('decline' in answer))
    return { kind: 'unsent', message: answer.message, isRefused: true }
  return answer.kind === 'timed_out' ? { kind: 'unknown', message: answer.message } : answer
}
