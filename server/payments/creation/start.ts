/**
 * The provider and finish phases of a creation, for whoever holds the key's lease: the first caller, a retry, or the
 * finisher. No transaction is open while the provider is asked.
 * Law: a checkout is opened once. Whoever comes after the first asks the provider before anything is opened again.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { findMerchantCached } from '../../merchants/merchant.ts'
import type { Attempt, StartResult } from '../../providers/driver.ts'
import { isReady, type ReadyRoute } from '../../providers/registry.ts'
import { inTransaction } from '../../storage/db.ts'
import {
  deleteIdempotencyKey,
  endIdempotencyLease,
  finishIdempotencyKey,
  type KeyAddress,
  type LeasedKey,
} from '../../storage/payments/idempotency-keys.ts'
import { findPayment, type PaymentRecord } from '../../storage/payments/payments.ts'
import { NOT_READY } from '../capability.ts'
import { providerCall, within } from '../provider-call.ts'
import { askProvider } from '../question.ts'
import { applyStarted, applyStatusIn, asStarted, type Started } from '../transition.ts'

const RETRY_AFTER_SECONDS = 5
const START_TIMEOUT_MS = 20_000

/**
 * `lost`: an order was opened, or may have been, and nobody can be led to it. `given_up`: not waited for any longer, while the
 * provider may still be at it.
 */
type Answer = StartResult | { kind: 'lost' | 'given_up'; message: string }
type Opened = Exclude<StartResult, { kind: 'refused' | 'unknown' }>

/**
 * Opens the payment's checkout and finishes the key. `held`: whether somebody else had begun before.
 * @throws AppError provider_unavailable: the provider refused, and the key is free; or its answer is not known, and the next
 *   to hold the key resumes.
 */
export async function startPayment(
  ctx: Context,
  key: LeasedKey,
  payment: PaymentRecord,
  held: 'begun' | 'resumed',
): Promise<PaymentRecord> {
  // It has moved on without its key (it expired, say): where it stands is the answer.
  if (payment.status !== 'created') return conclude(ctx, key, payment)
  const route = ctx.routes[payment.provider]
  if (!isReady(route)) {
    await endIdempotencyLease(ctx.db, key, ctx.clock.now())
    throw new AppError('provider_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, hint: NOT_READY })
  }
  const started = await (held === 'begun' ? open(ctx, route, payment, key) : reopen(ctx, route, payment, key))
  switch (started.kind) {
    case 'given_up':
      // The lease stays: the call may yet open the order, and whoever asked the provider now could be told that there is none.
      throw unavailable(started.message)
    case 'unknown':
      await endIdempotencyLease(ctx.db, key, ctx.clock.now())
      throw unavailable(started.message)
    case 'refused':
      await inTransaction(ctx.db, async (tx) => {
        await applyStatusIn(ctx, tx, payment, { to: 'failed', cause: 'provider', detail: started.message })
        await deleteIdempotencyKey(tx, key, payment.id)
      })
      throw unavailable(started.message)
    case 'lost':
      await inTransaction(ctx.db, async (tx) => {
        const change = { to: 'status_unknown', cause: 'provider', detail: started.message } as const
        await applyStatusIn(ctx, tx, payment, change)
        await finishIdempotencyKey(tx, key, payment.id)
      })
      return reread(ctx, payment)
    default:
      return finish(ctx, key, payment, started)
  }
}

/**
 * Given up at the latest when half of the lease is left, however late in it this begins: nobody else may hold the key while
 * the call is on its way, nor for a good while after.
 */
async function open(
  ctx: Context,
  route: ReadyRoute,
  payment: PaymentRecord,
  { leaseUntil }: LeasedKey,
): Promise<Answer> {
  const attempt = await attemptOf(ctx, payment)
  const leftMs = (leaseUntil?.getTime() ?? 0) - ctx.clock.now().getTime()
  const timeoutMs = Math.min(START_TIMEOUT_MS, leftMs - ctx.config.idempotencyLeaseSeconds * 500)
  let isUnderWay = false
  try {
    const { composeCheckout, startCheckout } = route.driver
    const call = providerCall(ctx, route)
    if (composeCheckout) return composeCheckout(call, attempt)
    if (timeoutMs <= 0) throw new Error('too little of the lease was left to ask the provider')
    isUnderWay = true
    const calling = startCheckout(call, attempt).finally(() => {
      isUnderWay = false
    })
    return await within(timeoutMs, calling)
  } catch (error) {
    return { kind: isUnderWay ? 'given_up' : 'unknown', message: String(error) }
  }
}

async function reopen(
  ctx: Context,
  route: ReadyRoute,
  payment: PaymentRecord,
  key: LeasedKey,
): Promise<Answer> {
  if (!route.driver.lookUp)
    // Without autoinit the provider hears of an order only from the buyer, so that none can have been opened.
    return route.driver.supportsAutoinit
      ? { kind: 'lost', message: 'the checkout may have been opened, and this provider cannot be asked' }
      : open(ctx, route, payment, key)
  const asked = await askProvider(ctx, route, payment)
  switch (asked.kind) {
    case 'unavailable':
      return { kind: 'unknown', message: asked.message }
    case 'not_found':
      return open(ctx, route, payment, key)
    case 'found':
      return asked.opened ?? { kind: 'lost', message: 'the checkout was opened, but its address is lost' }
  }
}

async function attemptOf(ctx: Context, payment: PaymentRecord): Promise<Attempt> {
  const merchant = await findMerchantCached(ctx, payment.merchantId)
  const {
    providerReference: reference,
    amountMinor,
    currency,
    description,
    expiresAt,
    customer,
    metadata,
  } = payment
  const returnUrl = `${ctx.baseUrl}/checkout/${payment.id}/return`
  return {
    reference,
    amountMinor,
    currency,
    merchantName: merchant?.name ?? '',
    description,
    returnUrl,
    callbackUrl: `${ctx.baseUrl}/callbacks/${ctx.world}/${payment.provider}`,
    expiresAt,
    customer,
    metadata,
  }
}

async function finish(
  ctx: Context,
  key: KeyAddress,
  payment: PaymentRecord,
  opened: Opened,
): Promise<PaymentRecord> {
  const { merchantId, id } = payment
  const started = startedBy(opened, payment)
  const at = ctx.clock.now()
  const moved = await applyStarted(ctx, { ...started, merchantId, id, scope: key.scope, key: key.key, at })
  return moved ? asStarted(payment, started, at) : reread(ctx, payment)
}

function startedBy(opened: Opened, payment: PaymentRecord): Started {
  return {
    providerState: opened.kind === 'hosted' ? null : (opened.state ?? null),
    providerCheckoutUrl: opened.kind === 'redirect' ? opened.url : null,
    providerForm: opened.kind === 'form' ? { action: opened.action, fields: opened.fields } : null,
    expiresAt: earlier(payment.expiresAt, opened.kind === 'hosted' ? undefined : opened.expiresAt),
  }
}

/**
 * A new payment on a route whose checkout is composed without asking anybody: it is begun and finished in one write, as
 * there is nothing in between that could fail. On any other route the payment as it is.
 */
export async function composeStart(
  ctx: Context,
  route: ReadyRoute,
  payment: PaymentRecord,
): Promise<PaymentRecord> {
  const { composeCheckout } = route.driver
  if (!composeCheckout) return payment
  const opened = composeCheckout(providerCall(ctx, route), await attemptOf(ctx, payment))
  return asStarted(payment, startedBy(opened, payment), payment.createdAt)
}

async function conclude(ctx: Context, key: KeyAddress, payment: PaymentRecord): Promise<PaymentRecord> {
  await finishIdempotencyKey(ctx.db, key, payment.id)
  return reread(ctx, payment)
}

async function reread(ctx: Context, payment: PaymentRecord): Promise<PaymentRecord> {
  return (await findPayment(ctx.db, payment.merchantId, payment.id)) ?? payment
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
