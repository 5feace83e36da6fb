/** A merchant creates or cancels a subscription. `work.ts` charges it in between. */

import { findAccount, listCurrencies } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import type {
  CreateSubscriptionRequest,
  Subscription,
  SubscriptionResponse,
} from '../../contract/subscription.ts'
import { AppError } from '../../errors.ts'
import { newId } from '../../id.ts'
import { translate } from '../../messages/translate.ts'
import type { Account } from '../../providers/registry.ts'
import type { Tx } from '../../storage/db.ts'
import type { OperationRecord } from '../../storage/payments/operations.ts'
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
import {
  findSavedMethod,
  lockSavedMethod,
  type SavedMethodRecord,
} from '../../storage/saved-methods/saved-methods.ts'
import { accountFor, refuseAmount, refuseStopped, unsupported } from '../account.ts'
import { fingerprint } from '../idempotency.ts'
import { presentOperation } from '../operation.ts'
import { applyOperationIn } from '../operation-change.ts'
import {
  type Asker,
  callerInHistory,
  claimOf,
  isReplay,
  type Requested,
  requestOperation,
  rereadOperation,
} from '../operation-request.ts'
import { periodOf } from './calendar.ts'
import { cancelSubscriptionIn } from './change.ts'

/**
 * Creates a subscription, or replays it. A worker charges the first period at once.
 * @throws AppError provider_route_not_ready, provider_route_unsupported, operation_disabled, operation_not_configured,
 *   token_not_found, payment_not_eligible, idempotency_key_reused; provider_unavailable while the merchant is paused
 */
export async function createSubscription(
  ctx: Context,
  given: { merchantId: string; idempotencyKey: string; request: CreateSubscriptionRequest },
): Promise<SubscriptionResponse> {
  const { merchantId, idempotencyKey: key, request } = given
  const { providerRoute: provider, paymentTokenId: tokenId, amountMinor, currency, metadata = null } = request
  const claim = { merchantId, scope: 'POST /v1/subscriptions', key, fingerprint: fingerprint(request) }
  const account = (await isReplay(ctx, claim)) ? null : await accountToCharge(ctx, merchantId, request)
  const subscriptionId = newId(ctx.world, 'sub', merchantId, ctx.clock.now())
  const accountId = account?.id ?? null
  const terms = { provider, accountId, tokenId, subscriptionId, amountMinor, currency, metadata }
  const requested = await requestOperation(
    ctx,
    claim,
    { type: 'subscription_create', ...terms },
    (tx, accepted) => insertIncomplete(ctx, tx, accepted, request),
  )
  return present(ctx, requested)
}

/**
 * Returns the account that keeps the saved method, because only that account can charge it. Where there is no such method on the
 * route, returns the account for a new payment, so that the request fails as it would for any method.
 * @throws AppError those of accountFor
 */
async function accountToCharge(
  ctx: Context,
  merchantId: string,
  { providerRoute: provider, paymentTokenId, currency, amountMinor }: CreateSubscriptionRequest,
): Promise<Account> {
  await refuseStopped(ctx, merchantId)
  const method = await findSavedMethod(ctx.db, merchantId, paymentTokenId)
  const account = method?.provider === provider ? await findAccount(ctx, method.accountId) : null
  const wish = { merchantId, provider, currency, amountMinor, routeField: 'providerRoute' } as const
  if (!account) return accountFor(ctx, wish)
  const currencies = await listCurrencies(ctx, account)
  if (!currencies.includes(currency)) throw unsupported(provider, [{ currencies }], 'providerRoute')
  refuseAmount(account, wish)
  return account
}

/** Stores the subscription, which stays incomplete until its first period is paid. */
async function insertIncomplete(
  ctx: Context,
  tx: Tx,
  operation: OperationRecord,
  request: CreateSubscriptionRequest,
): Promise<void> {
  const { merchantId, provider, accountId, createdAt: anchorAt, subscriptionId: id } = operation
  if (id === null || accountId === null)
    throw new Error(`Bug! Operation ${operation.id} has no subscription or no account.`)
  const { paymentTokenId: tokenId, merchantSubscriptionId, amountMinor, currency } = request
  const { interval, description, metadata = null } = request
  const token = await lockSavedMethod(tx, { merchantId, id: tokenId })
  if (!token) throw new AppError('token_not_found')
  refuseUnusable(token, provider)
  const inserted = await insertSubscription(tx, {
    merchantId,
    id,
    merchantSubscriptionId,
    provider,
    accountId: token.accountId,
    tokenId,
    amountMinor,
    currency,
    interval,
    description,
    metadata,
    anchorAt,
    operationId: operation.id,
  })
  if (!inserted) {
    const running = await findRunningSubscription(tx, merchantId, merchantSubscriptionId)
    const message = `The subscription ${running?.id} already uses this merchantSubscriptionId. Cancel it first.`
    throw new AppError('payment_not_eligible', { message })
  }
  await applyOperationIn(ctx, tx, operation, { to: 'processing', cause: 'request', dueAt: null })
}

/** @throws AppError payment_not_eligible when the subscription cannot charge this saved method */
function refuseUnusable({ status, provider }: SavedMethodRecord, route: string): void {
  if (provider !== route)
    throw new AppError('payment_not_eligible', {
      message: translate('en', 'errors.token.otherRoute', { provider }),
    })
  if (status !== 'active')
    throw new AppError('payment_not_eligible', {
      message: translate('en', 'errors.token.notActive', { status }),
    })
}

/**
 * Cancels a subscription at once, or replays the cancellation. Nothing is refunded, and a charge that has been sent still
 * finishes. Cancelling a cancelled subscription succeeds and changes nothing.
 * @throws AppError subscription_not_found, operation_disabled, operation_not_configured
 */
export async function cancelSubscription(
  ctx: Context,
  { subscriptionId, ...asker }: Asker & { subscriptionId: string },
): Promise<SubscriptionResponse> {
  const known = await findSubscription(ctx.db, asker.merchantId, subscriptionId)
  if (!known) throw new AppError('subscription_not_found')
  const claim = claimOf(asker, `POST /v1/subscriptions/${subscriptionId}/cancel`, {})
  const { provider, accountId } = known
  const draft = { type: 'subscription_cancel', provider, accountId, subscriptionId } as const
  const requested = await requestOperation(ctx, claim, draft, async (tx, accepted) => {
    const locked = await lockSubscription(tx, known)
    if (!locked) throw new Error(`Bug! The subscription ${subscriptionId} no longer exists.`)
    const isOver = locked.status === 'cancelled'
    if (!isOver) await cancelSubscriptionIn(ctx, tx, locked, 'requested')
    const change = {
      ...callerInHistory(asker),
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
  if (!record)
    throw new Error(`Bug! Operation ${id} names the subscription ${subscriptionId}, which does not exist.`)
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

/** Returns the contract's view. `charges`: the charges of the current period. */
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
    attempts: charges.filter(({ sentAt }) => sentAt !== null).length,
    ...(latest && { latestPaymentId: latest.paymentId }),
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  }
}
