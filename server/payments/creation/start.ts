/**
 * The provider and finish phases of a creation. They run for whoever holds the key's lease: the first caller, a retry, or the
 * worker that finishes abandoned keys. No transaction is open while the provider is called.
 * Rule: a checkout is opened once. A later holder of the key asks the provider for the order before it opens anything.
 */
import { findAccount } from '../../accounts/choice.ts'
import { refusedPayment } from '../../accounts/refusal.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Refusal } from '../../providers/driver/refusal.ts'
import type { Account } from '../../providers/registry.ts'
import { inTransaction } from '../../storage/db.ts'
import { recordAttempt } from '../../storage/payments/attempt-orders.ts'
import {
  endIdempotencyLease,
  finishIdempotencyKey,
  freeIdempotencyKey,
  type KeyAddress,
  type LeasedKey,
} from '../../storage/payments/idempotency-keys.ts'
import type { PaymentRecord } from '../../storage/payments/payments.ts'
import { NO_MONEY } from '../attempts/attempt.ts'
import { goOnOpening } from '../attempts/open.ts'
import { attemptOf, type OpenOrder, reread, startedBy, startOrder } from '../attempts/order.ts'
import { findPaidBefore } from '../attempts/question.ts'
import { NOT_READY } from '../capability.ts'
import { providerCall } from '../provider-call.ts'
import { canExpire } from '../status.ts'
import { applyStarted, applyStatusIn, asStarted } from '../transition.ts'

const RETRY_AFTER_SECONDS = 5
const KEEPS_ORDER: readonly Refusal[] = ['credentials', 'rights']
const NO_ORDER = { from: 'opening', ...NO_MONEY, facts: null } as const

/**
 * Opens the payment's checkout and finishes the key. `claim`: `resumed` when another caller has already started this payment.
 * `amountField`: the caller's name for the amount, used in field errors.
 * @throws AppError provider_unavailable: either the provider refused the payment and the key is free, or the provider's answer is
 *   unknown or its refusal is about the account, and the next holder of the key resumes; validation_failed for a refused amount
 */
export async function startPayment(
  ctx: Context,
  key: LeasedKey & { amountField?: string | undefined },
  payment: PaymentRecord,
  claim: 'new' | 'resumed',
): Promise<PaymentRecord> {
  if (payment.status !== 'created') return finishChanged(ctx, key, payment)
  const account = await findAccount(ctx, payment.accountId)
  if (!account) {
    await endIdempotencyLease(ctx.db, key, ctx.clock.now())
    throw new AppError('provider_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, hint: NOT_READY })
  }
  const { leaseUntil } = key
  const started = await startOrder(ctx, account, payment, { claim, leaseUntil })
  switch (started.kind) {
    case 'timed_out':
      // Keep the lease. The running call may still open the order, so a look-up now could wrongly report that there is none.
      throw unavailable(payment, started.message)
    case 'unknown':
      await endIdempotencyLease(ctx.db, key, ctx.clock.now())
      throw unavailable(payment, started.message)
    case 'refused': {
      const { refusal = 'request', message } = started
      const error = refusedPayment(payment.id, { refusal, message }, key.amountField ?? 'amountMinor')
      // The provider did not look at the request. So the same order can be opened once the account is in order.
      if (KEEPS_ORDER.includes(refusal)) {
        await endIdempotencyLease(ctx.db, key, ctx.clock.now())
        throw error
      }
      await inTransaction(ctx.db, async (tx) => {
        await recordAttempt(tx, payment, { ...NO_ORDER, state: 'refused' })
        await applyStatusIn(ctx, tx, payment, { to: 'failed', cause: 'provider', detail: message })
        await freeIdempotencyKey(tx, key, payment.id)
      })
      throw error
    }
    case 'expired':
      await inTransaction(ctx.db, async (tx) => {
        await recordAttempt(tx, payment, { ...NO_ORDER, state: 'expired' })
        const detail = 'expired before the provider could open the order'
        await applyStatusIn(ctx, tx, payment, { to: 'expired', cause: 'expiry', detail })
        await finishIdempotencyKey(tx, key, payment.id)
      })
      return reread(ctx, payment)
    case 'unreachable': {
      const paid = await findPaidBefore(ctx, payment)
      if (paid && paid.status !== 'created') return finishKey(ctx, key, paid)
      await inTransaction(ctx.db, async (tx) => {
        const change = { to: 'status_unknown', cause: 'provider', detail: started.message } as const
        await applyStatusIn(ctx, tx, payment, change)
        await finishIdempotencyKey(tx, key, payment.id)
      })
      return reread(ctx, payment)
    }
    default:
      return finish(ctx, key, payment, started)
  }
}

/**
 * The payment's status changed without its key. If it ended, the current state is the answer. Otherwise the provider has reported an
 * order whose address was lost with the provider's answer, so the address is found first.
 * @throws AppError provider_unavailable if the provider does not tell the address now
 */
async function finishChanged(ctx: Context, key: LeasedKey, payment: PaymentRecord): Promise<PaymentRecord> {
  const isOpening = payment.attemptState === 'opening' && canExpire(payment.status) && !payment.underWaySince
  if (!isOpening || ctx.clock.now() >= payment.expiresAt) return finishKey(ctx, key, payment)
  const opening = await goOnOpening(ctx, payment)
  if (opening && opening.kind !== 'busy' && opening.kind !== 'not_ready')
    return finishKey(ctx, key, opening.payment)
  await endIdempotencyLease(ctx.db, key, ctx.clock.now())
  throw unavailable(payment, 'the provider has an order, but did not tell its address')
}

async function finish(
  ctx: Context,
  key: KeyAddress,
  payment: PaymentRecord,
  opened: OpenOrder,
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

/**
 * Plans the payment's first attempt without telling the provider: a link may be opened weeks later, or never. What our own page
 * says alone is open at once.
 */
export async function planStart(
  ctx: Context,
  account: Account,
  payment: PaymentRecord,
): Promise<PaymentRecord> {
  const { composeCheckout, supportsAutoinit } = account.driver
  const composed = composeCheckout && !supportsAutoinit ? await composeStart(ctx, account, payment) : payment
  const isHosted = composed !== payment && !composed.providerCheckoutUrl && !composed.providerForm
  return isHosted ? composed : planOrder(payment)
}

/** Plans the first attempt, also on a route that our own page would say alone: the buyer chooses first. */
export function planOrder(payment: PaymentRecord): PaymentRecord {
  const planned = { providerState: null, providerCheckoutUrl: null, providerForm: null }
  const started = asStarted(payment, { ...planned, attemptExpiresAt: payment.expiresAt }, payment.createdAt)
  return { ...started, attemptState: 'planned', questionDueAt: payment.expiresAt }
}

async function finishKey(ctx: Context, key: KeyAddress, payment: PaymentRecord): Promise<PaymentRecord> {
  await finishIdempotencyKey(ctx.db, key, payment.id)
  return reread(ctx, payment)
}

function unavailable({ id: paymentId }: PaymentRecord, message: string): AppError {
  return new AppError('provider_unavailable', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    about: { paymentId },
    cause: new Error(message),
  })
}
