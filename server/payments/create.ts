/**
 * Creation, in three phases: begin (key and payment, one durable statement), provider (no transaction is open while
 * it is asked), finish (what it answered, the status, the key). A crash in between leaves a key that knows its payment.
 */

import { type Context, newId } from '../context.ts'
import type { CurrencyCode, Customer, Metadata, ProviderRoute } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { findMerchantCached } from '../merchants/merchant.ts'
import type { Attempt, StartResult } from '../providers/driver.ts'
import { isReady, type ReadyRoute } from '../providers/routes.ts'
import { deleteIdempotencyKey, endIdempotencyLease, type KeyAddress } from '../storage/idempotency-keys.ts'
import { findPayment, type PaymentRecord } from '../storage/payments.ts'
import { chooseRoute } from './capability.ts'
import { holdKey, type KeyClaim } from './idempotency.ts'
import { providerCall } from './provider-call.ts'
import { askProvider, firstSyncAt } from './sync.ts'
import { applyStarted, applyStatus } from './transition.ts'

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
const ID_PREFIX_CHARS = 'pay_'.length
const RETRY_AFTER_SECONDS = 5

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
  const route = chooseRoute(ctx, draft.provider, draft.currency, draft.routeField)
  const held = await holdKey(ctx, claim, newPayment(ctx, route, draft))
  if (held.kind === 'replay') return { payment: held.payment, created: false }
  return { payment: await startPayment(ctx, claim, held.payment, held.kind), created: true }
}

function newPayment(ctx: Context, { route, driver }: ReadyRoute, draft: Draft): PaymentRecord {
  const now = ctx.clock.now()
  const id = newId('pay', now)
  return {
    ...{ merchantId: draft.merchantId, id, merchantOrderId: draft.merchantOrderId, provider: route },
    ...{
      providerReference: id.slice(ID_PREFIX_CHARS),
      providerState: null,
      providerCheckoutUrl: null,
      providerForm: null,
    },
    ...{ amountMinor: draft.amountMinor, currency: draft.currency },
    ...{
      authorizedMinor: 0,
      capturedMinor: 0,
      refundedMinor: 0,
      status: 'created',
      fiscalStatus: 'not_required',
      version: 0,
    },
    ...{ description: draft.description ?? null, returnUrl: draft.returnUrl },
    ...{ customer: draft.customer ?? null, metadata: draft.metadata ?? null },
    expiresAt: draft.expiresAt ?? new Date(now.getTime() + ctx.config.sessionTtlSeconds * 1000),
    ...{
      createdAt: now,
      updatedAt: now,
      syncDueAt: driver.lookUp ? firstSyncAt(ctx, now) : null,
      syncAttempts: 0,
      syncedAt: null,
    },
  }
}

/**
 * The provider and finish phases, for whoever holds the key's lease: the first caller, a retry, or the finisher.
 * A payment that somebody else had begun is looked up at the provider before its checkout is opened again.
 */
export async function startPayment(
  ctx: Context,
  key: KeyAddress,
  payment: PaymentRecord,
  held: 'begun' | 'resumed',
): Promise<PaymentRecord> {
  const route = ctx.routes[payment.provider]
  if (!isReady(route)) {
    await endIdempotencyLease(ctx.db, key, ctx.clock.now())
    throw new AppError('provider_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, hint: route.reason })
  }
  const started = await openCheckout(ctx, route, payment, held).catch(
    (error: unknown): StartResult => ({ kind: 'unknown', message: String(error) }),
  )
  switch (started.kind) {
    case 'unknown':
      await endIdempotencyLease(ctx.db, key, ctx.clock.now())
      throw unavailable(started.message)
    case 'refused':
      await applyStatus(ctx, payment, { to: 'failed', cause: 'provider', detail: started.message })
      await deleteIdempotencyKey(ctx.db, key, payment.id)
      throw unavailable(started.message)
    default:
      return finish(ctx, key, payment, started)
  }
}

async function openCheckout(
  ctx: Context,
  route: ReadyRoute,
  payment: PaymentRecord,
  held: 'begun' | 'resumed',
): Promise<StartResult> {
  if (held === 'resumed' && route.driver.lookUp) {
    const asked = await askProvider(ctx, route, payment)
    if (asked.kind === 'unavailable') return { kind: 'unknown', message: asked.message }
  }
  return route.driver.startCheckout(providerCall(ctx, route), await attemptOf(ctx, payment))
}

async function attemptOf(ctx: Context, payment: PaymentRecord): Promise<Attempt> {
  const merchant = await findMerchantCached(ctx, payment.merchantId)
  const { providerReference: reference, amountMinor, currency, description, expiresAt, customer } = payment
  const returnUrl = `${ctx.baseUrl}/checkout/${payment.id}/return`
  return {
    reference,
    amountMinor,
    currency,
    merchantName: merchant?.name ?? '',
    description,
    returnUrl,
    expiresAt,
    customer,
  }
}

type Opened = Exclude<StartResult, { kind: 'refused' | 'unknown' }>

async function finish(
  ctx: Context,
  key: KeyAddress,
  payment: PaymentRecord,
  opened: Opened,
): Promise<PaymentRecord> {
  const { merchantId, id } = payment
  const answer = {
    providerState: opened.kind === 'hosted' ? null : (opened.state ?? null),
    providerCheckoutUrl: opened.kind === 'redirect' ? opened.url : null,
    providerForm: opened.kind === 'form' ? { action: opened.action, fields: opened.fields } : null,
    expiresAt: earlier(payment.expiresAt, opened.kind === 'hosted' ? undefined : opened.expiresAt),
  }
  const at = ctx.clock.now()
  const moved = await applyStarted(ctx.db, { ...answer, merchantId, id, scope: key.scope, key: key.key, at })
  if (moved)
    return { ...payment, ...answer, status: 'pending_redirect', version: payment.version + 1, updatedAt: at }
  return (await findPayment(ctx.db, merchantId, id)) ?? payment
}

function earlier(left: Date, right: Date | undefined): Date {
  return right && right < left ? right : left
}

function unavailable(message: string): AppError {
  return new AppError('provider_unavailable', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: new Error(message),
  })
}
