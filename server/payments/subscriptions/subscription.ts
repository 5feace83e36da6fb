/** Subscriptions as a merchant asks for them: their beginning, and their end. What happens in between: `work.ts`. */
import type { Context } from '../../context.ts'
import type {
  CreateSubscriptionRequest,
  Subscription,
  SubscriptionResponse,
} from '../../contract/subscription.ts'
import { AppError } from '../../errors.ts'
import { newId } from '../../id.ts'
import type { Tx } from '../../storage/db.ts'
import type { OperationRecord } from '../../storage/payments/operations.ts'
import { lockSavedMethod, type SavedMethodRecord } from '../../storage/payments/saved-methods.ts'
import {
  listPeriodCharges,
  type SubscriptionChargeRecord,
} from '../../storage/payments/subscription-charges.ts'
import {
  findRunningSubscription,
  findSubscription,
  insertSubscription,
  lockSubscription,
  type SubscriptionRecord,
} from '../../storage/payments/subscriptions.ts'
import { chooseRoute } from '../capability.ts'
import { fingerprint } from '../idempotency.ts'
import { presentOperation } from '../operation.ts'
import { applyOperationIn } from '../operation-change.ts'
import { isReplay, type Requested, requestOperation, rereadOperation } from '../operation-request.ts'
import { periodOf } from './calendar.ts'
import { cancelSubscriptionIn } from './change.ts'

/**
 * Begins a subscription, or replays it. Its first period is charged at once, by a worker.
 * @throws AppError provider_route_not_ready, provider_route_unsupported, operation_disabled, operation_not_configured,
 *   token_not_found, payment_not_eligible, idempotency_key_reused
 */
export async function createSubscription(
  ctx: Context,
  given: { merchantId: string; idempotencyKey: string; request: CreateSubscriptionRequest },
): Promise<SubscriptionResponse> {
  const { merchantId, idempotencyKey: key, request } = given
  const { providerRoute: provider, paymentTokenId: tokenId, amountMinor, currency, metadata = null } = request
  const claim = { merchantId, scope: 'POST /v1/subscriptions', key, fingerprint: fingerprint(request) }
  if (!(await isReplay(ctx, claim))) chooseRoute(ctx, provider, currency, 'providerRoute')
  const subscriptionId = newId(ctx.world, 'sub', ctx.clock.now())
  const terms = { provider, tokenId, subscriptionId, amountMinor, currency, metadata }
  const requested = await requestOperation(
    ctx,
    claim,
    { type: 'subscription_create', ...terms },
    (tx, accepted) => begin(ctx, tx, accepted, request),
  )
  return present(ctx, requested)
}

async function begin(
  ctx: Context,
  tx: Tx,
  operation: OperationRecord,
  request: CreateSubscriptionRequest,
): Promise<void> {
  const { merchantId, provider, createdAt: anchorAt, subscriptionId: id } = operation
  if (id === null) throw new Error(`Bug! Operation ${operation.id} is about no subscription.`)
  const { paymentTokenId: tokenId, merchantSubscriptionId, amountMinor, currency } = request
  const { interval, description, metadata = null } = request
  const token = await lockSavedMethod(tx, { merchantId, id: tokenId })
  if (!token) throw new AppError('token_not_found')
  refuseUnfit(token, provider)
  const begun = await insertSubscription(tx, {
    merchantId,
    id,
    merchantSubscriptionId,
    provider,
    tokenId,
    amountMinor,
    currency,
    interval,
    description,
    metadata,
    anchorAt,
    operationId: operation.id,
  })
  if (!begun) {
    const running = await findRunningSubscription(tx, merchantId, merchantSubscriptionId)
    const message = `The subscription ${running?.id} runs under this merchantSubscriptionId; cancel it first.`
    throw new AppError('payment_not_eligible', { message })
  }
  await applyOperationIn(ctx, tx, operation, { to: 'processing', cause: 'request', dueAt: null })
}

/** @throws AppError payment_not_eligible */
function refuseUnfit({ status, provider }: SavedMethodRecord, route: string): void {
  if (provider !== route)
    throw new AppError('payment_not_eligible', {
      message: `The token was saved on ${provider}; only that route can charge it.`,
    })
  if (status !== 'active')
    throw new AppError('payment_not_eligible', {
      message: `A subscription needs a token that is active; this one is ${status}.`,
    })
}

/**
 * Ends a subscription at once: nothing is given back, and an attempt that is under way is left to finish. One that is
 * cancelled already stays as it is.
 * @throws AppError subscription_not_found, operation_disabled, operation_not_configured
 */
export async function cancelSubscription(
  ctx: Context,
  given: { merchantId: string; subscriptionId: string; idempotencyKey: string },
): Promise<SubscriptionResponse> {
  const { merchantId, subscriptionId, idempotencyKey: key } = given
  const known = await findSubscription(ctx.db, merchantId, subscriptionId)
  if (!known) throw new AppError('subscription_not_found')
  const scope = `POST /v1/subscriptions/${subscriptionId}/cancel`
  const claim = { merchantId, scope, key, fingerprint: fingerprint({}) }
  const draft = { type: 'subscription_cancel', provider: known.provider, subscriptionId } as const
  const requested = await requestOperation(ctx, claim, draft, async (tx, accepted) => {
    const locked = await lockSubscription(tx, known)
    if (!locked) throw new Error(`Bug! The subscription ${subscriptionId} is gone.`)
    const isOver = locked.status === 'cancelled'
    if (!isOver) await cancelSubscriptionIn(ctx, tx, locked, 'requested')
    const change = {
      cause: 'request',
      dueAt: null,
      ...(isOver && { detail: 'it was cancelled already' }),
    } as const
    await applyOperationIn(ctx, tx, accepted, { to: 'processing', ...change })
    await applyOperationIn(ctx, tx, accepted, { to: 'succeeded', ...change })
  })
  return present(ctx, requested)
}

async function present(ctx: Context, { operation, created }: Requested): Promise<SubscriptionResponse> {
  const { id, merchantId, subscriptionId } = operation
  const record = await findSubscription(ctx.db, merchantId, subscriptionId ?? '')
  if (!record) throw new Error(`Bug! Operation ${id} is about ${subscriptionId}, which is not there.`)
  return {
    ok: true,
    created,
    operation: presentOperation(await rereadOperation(ctx, operation)),
    subscription: await viewSubscription(ctx, record),
  }
}

export async function viewSubscription(ctx: Context, record: SubscriptionRecord): Promise<Subscription> {
  const { merchantId, id: subscriptionId, period } = record
  return presentSubscription(record, await listPeriodCharges(ctx.db, { merchantId, subscriptionId }, period))
}

/** The contract's view. `charges`: the attempts of its current period. */
function presentSubscription(record: SubscriptionRecord, charges: SubscriptionChargeRecord[]): Subscription {
  const { id, provider: providerRoute, merchantSubscriptionId, tokenId: paymentTokenId } = record
  const { amountMinor, currency, interval, description, metadata, status } = record
  const { cancelReason, cancelledAt, nextChargeAt, period: currentPeriod, anchorAt } = record
  const { start, end } = periodOf(anchorAt, interval, currentPeriod)
  const latest = charges.at(-1)
  return {
    id,
    providerRoute,
    merchantSubscriptionId,
    paymentTokenId,
    amountMinor,
    currency,
    interval,
    description,
    ...(metadata && { metadata }),
    status,
    ...(cancelReason && { cancelReason }),
    ...(cancelledAt && { cancelledAt: cancelledAt.toISOString() }),
    currentPeriod,
    currentPeriodStart: start.toISOString(),
    currentPeriodEnd: end.toISOString(),
    ...(nextChargeAt && { nextChargeAt: nextChargeAt.toISOString() }),
    attempts: charges.filter(({ toldAt }) => toldAt !== null).length,
    ...(latest && { latestPaymentId: latest.paymentId }),
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  }
}
