/**
 * Creation, in three phases: begin (key and payment, one durable statement), provider (no transaction is open while
 * it is asked), finish (what it answered, the status, the key); `start.ts` has the last two. A crash in between leaves a
 * key that knows its payment.
 */

import type { Context } from '../../context.ts'
import type { CurrencyCode, Customer, Metadata, ProviderRoute } from '../../contract/fields.ts'
import { AppError } from '../../errors.ts'
import { newId, referenceOf } from '../../id.ts'
import type { ReadyRoute } from '../../providers/registry.ts'
import type { PaymentRecord } from '../../storage/payments/payments.ts'
import { chooseRoute } from '../capability.ts'
import { findReplay, holdKey, type KeyClaim } from '../idempotency.ts'
import { firstQuestionAt } from '../question-schedule.ts'
import { composeStart, startPayment } from './start.ts'

export type Draft = {
  merchantId: string
  merchantOrderId: string
  amountMinor: number
  currency: CurrencyCode
  /** Undefined: the service's default route. */
  provider: ProviderRoute | undefined
  /** What the request calls the route, for its field errors. */
  routeField?: 'provider' | 'providerRoute'
  description?: string | undefined
  returnUrl: string | null
  customer?: Customer | undefined
  metadata?: Metadata | undefined
  expiresAt?: Date | undefined
}

/** Our reference at the provider is the payment's id without its prefix: short enough for every protocol. */

/**
 * Creates the payment that `claim`'s key stands for, or finds it. Safe to call again, at once, and after any crash.
 * Answers `created: false` for a replay.
 * @throws AppError from chooseRoute and holdKey; provider_unavailable, after which the same key may be used again.
 */
export async function createPayment(
  ctx: Context,
  claim: KeyClaim,
  draft: Draft,
): Promise<{ payment: PaymentRecord; created: boolean }> {
  const route = routeOf(ctx, draft)
  if (route instanceof AppError) {
    const payment = await findReplay(ctx, claim)
    if (!payment) throw route
    return { payment, created: false }
  }
  const held = await holdKey(ctx, claim, await composeStart(ctx, route, newPayment(ctx, route, draft)))
  if (held.kind === 'replay') return { payment: held.payment, created: false }
  if (held.kind === 'begun') noteCreated(ctx, held.payment)
  if (held.kind === 'begun' && held.payment.status !== 'created')
    return { payment: held.payment, created: true }
  const key = { ...claim, leaseUntil: held.leaseUntil }
  return { payment: await startPayment(ctx, key, held.payment, held.kind), created: true }
}

function noteCreated(ctx: Context, { provider, status }: PaymentRecord): void {
  ctx.metrics.paymentCreated(provider)
  if (status !== 'created') ctx.metrics.statusChanged(status, 'request')
}

/** A route that cannot serve now makes nothing new, but does not take back what was answered before. */
function routeOf(ctx: Context, draft: Draft): ReadyRoute | AppError {
  try {
    return chooseRoute(ctx, draft.provider, draft.currency, draft.routeField)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

/** A payment that nobody has been told of yet. */
export function newPayment(ctx: Context, { route, driver }: ReadyRoute, draft: Draft): PaymentRecord {
  const now = ctx.clock.now()
  const id = newId(ctx.world, 'pay', now)
  return {
    merchantId: draft.merchantId,
    id,
    merchantOrderId: draft.merchantOrderId,
    provider: route,
    providerReference: referenceOf(id),
    providerState: null,
    providerCheckoutUrl: null,
    providerForm: null,
    amountMinor: draft.amountMinor,
    currency: draft.currency,
    authorizedMinor: 0,
    capturedMinor: 0,
    refundedMinor: 0,
    refundReservedMinor: 0,
    status: 'created',
    fiscalStatus: 'not_required',
    version: 0,
    description: draft.description ?? null,
    returnUrl: draft.returnUrl,
    customer: draft.customer ?? null,
    metadata: draft.metadata ?? null,
    expiresAt: draft.expiresAt ?? new Date(now.getTime() + ctx.config.sessionTtlSeconds * 1000),
    createdAt: now,
    updatedAt: now,
    questionDueAt: driver.lookUp ? firstQuestionAt(ctx, now) : null,
    questionAttempts: 0,
    askedAt: null,
  }
}
