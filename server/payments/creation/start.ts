/**
 * The provider and finish phases of a creation. They run for whoever holds the key's lease: the first caller, a retry, or the
 * worker that finishes abandoned keys. No transaction is open while the provider is called.
 * Rule: a checkout is opened once. A later holder of the key asks the provider for the order before it opens anything.
 */
import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { findMerchantCached } from '../../merchants/merchant.ts'
import type { Attempt, StartResult } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
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
import { callbackUrlOf, callProvider, explainCallFailure, isTimeout, providerCall } from '../provider-call.ts'
import { askProvider } from '../question.ts'
import { applyStarted, applyStatusIn, asStarted, type Started } from '../transition.ts'

const RETRY_AFTER_SECONDS = 5
const START_TIMEOUT_MS = 20_000

/**
 * `unreachable`: an order was opened, or may have been, but its checkout address is not known, so no buyer can be sent there.
 * `timed_out`: we stopped waiting, but the provider may still open the order.
 */
type Answer = StartResult | { kind: 'unreachable' | 'timed_out'; message: string }
type Opened = Exclude<StartResult, { kind: 'refused' | 'unknown' }>

/**
 * Opens the payment's checkout and finishes the key. `claim`: `resumed` when another caller has already started this payment.
 * @throws AppError provider_unavailable: either the provider refused and the key is free, or the provider's answer is unknown
 *   and the next holder of the key resumes.
 */
export async function startPayment(
  ctx: Context,
  key: LeasedKey,
  payment: PaymentRecord,
  claim: 'new' | 'resumed',
): Promise<PaymentRecord> {
  // The payment's status changed without its key, for example because it expired. The current state is then the answer.
  if (payment.status !== 'created') return finishKey(ctx, key, payment)
  const account = await findAccount(ctx, payment.accountId)
  if (!account) {
    await endIdempotencyLease(ctx.db, key, ctx.clock.now())
    throw new AppError('provider_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, hint: NOT_READY })
  }
  const started = await (claim === 'new'
    ? openCheckout(ctx, account, payment, key)
    : resumeCheckout(ctx, account, payment, key))
  switch (started.kind) {
    case 'timed_out':
      // Keep the lease. The running call may still open the order, so a look-up now could wrongly report that there is none.
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
    case 'unreachable':
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
 * Stops waiting when half of the lease is left, also if the call starts late in the lease. So nobody else can take the key
 * while the call is running, nor soon after.
 */
async function openCheckout(
  ctx: Context,
  account: Account,
  payment: PaymentRecord,
  { leaseUntil }: LeasedKey,
): Promise<Answer> {
  const attempt = await attemptOf(ctx, account, payment)
  const leftMs = (leaseUntil?.getTime() ?? 0) - ctx.clock.now().getTime()
  const timeoutMs = Math.min(START_TIMEOUT_MS, leftMs - ctx.config.idempotencyLeaseSeconds * 500)
  try {
    const { composeCheckout, startCheckout } = account.driver
    if (composeCheckout) return composeCheckout(providerCall(ctx, account), attempt)
    if (timeoutMs <= 0) throw new Error('too little of the lease was left to call the provider')
    const calling = { timeoutMs, about: payment.id }
    return await callProvider(ctx, account, calling, (call) => startCheckout(call, attempt))
  } catch (error) {
    return { kind: isTimeout(error) ? 'timed_out' : 'unknown', message: explainCallFailure(ctx, error) }
  }
}

async function resumeCheckout(
  ctx: Context,
  account: Account,
  payment: PaymentRecord,
  key: LeasedKey,
): Promise<Answer> {
  const { keyedStart, keyLifetimeMs = 0 } = account.driver
  const ageMs = ctx.clock.now().getTime() - payment.createdAt.getTime()
  // The provider still knows the key, so the same request opens the same order.
  if (keyedStart && ageMs < keyLifetimeMs) return openCheckout(ctx, account, payment, key)
  if (!account.driver.lookUp)
    // Without autoinit only the buyer's browser tells the provider of an order. So no order can have been opened yet.
    return account.driver.supportsAutoinit
      ? {
          kind: 'unreachable',
          message: 'the checkout may have been opened, and this provider cannot be asked',
        }
      : openCheckout(ctx, account, payment, key)
  const answer = await askProvider(ctx, account, payment)
  switch (answer.kind) {
    case 'unavailable':
      return { kind: 'unknown', message: answer.message }
    case 'not_found':
      return openCheckout(ctx, account, payment, key)
    case 'found':
      return (
        answer.opened ?? {
          kind: 'unreachable',
          message: 'the checkout was opened, but its address is not known',
        }
      )
  }
}

async function attemptOf(ctx: Context, account: Account, payment: PaymentRecord): Promise<Attempt> {
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
    callbackUrl: callbackUrlOf(ctx, account),
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
  const { merchantId, id, attempt } = payment
  const started = startedBy(opened, payment)
  const at = ctx.clock.now()
  const moved = await applyStarted(ctx, {
    ...started,
    merchantId,
    id,
    attempt,
    scope: key.scope,
    key: key.key,
    at,
  })
  return moved ? asStarted(payment, started, at) : reread(ctx, payment)
}

function startedBy(opened: Opened, payment: PaymentRecord): Started {
  return {
    providerState: opened.kind === 'hosted' ? null : (opened.state ?? null),
    providerCheckoutUrl: opened.kind === 'redirect' ? opened.url : null,
    providerForm: opened.kind === 'form' ? { action: opened.action, fields: opened.fields } : null,
    attemptExpiresAt: earlier(payment.expiresAt, opened.kind === 'hosted' ? undefined : opened.expiresAt),
  }
}

/**
 * Composes the checkout of a new payment, if the account's driver can do that without calling the provider. Creation then stores
 * the payment, its checkout and the finished key in one write. For other accounts the payment is returned unchanged.
 */
export async function composeStart(
  ctx: Context,
  account: Account,
  payment: PaymentRecord,
): Promise<PaymentRecord> {
  const { composeCheckout } = account.driver
  if (!composeCheckout) return payment
  const opened = composeCheckout(providerCall(ctx, account), await attemptOf(ctx, account, payment))
  return asStarted(payment, startedBy(opened, payment), payment.createdAt)
}

async function finishKey(ctx: Context, key: KeyAddress, payment: PaymentRecord): Promise<PaymentRecord> {
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
