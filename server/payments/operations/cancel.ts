/**
 * A merchant cancels a payment that nobody has paid. The provider is asked first. Then one transaction ends the payment and forbids
 * that the money of an approved order is still taken. The open order is withdrawn where the provider can, and is asked about where it
 * cannot: what it brings goes back, see `attempts/late-money.ts`.
 * After a crash at any line the same key cancels the payment, or returns it; the schedule withdraws the order.
 */

import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import type { CancelPaymentRequest, CancelPaymentResponse } from '../../contract/operation.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import { AppError } from '../../errors.ts'
import { translate } from '../../messages/translate.ts'
import type { Snapshot } from '../../providers/driver.ts'
import { inTransaction, limitLockWait, type Tx } from '../../storage/db.ts'
import { listAttempts } from '../../storage/payments/attempt-orders.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import {
  type CancellationRecord,
  findCancellation,
  forbidTaking,
  insertCancellation,
} from '../../storage/payments/payment-changes.ts'
import { findPayment, findPaymentAttempt, lockPayment } from '../../storage/payments/payments.ts'
import { askProvider } from '../attempts/ask.ts'
import { mayHavePayableOrder } from '../attempts/attempt.ts'
import { withdrawOrder } from '../attempts/provider-order.ts'
import { askAboutAttempt, askAboutPayment } from '../attempts/question.ts'
import { hasStandingApproval, isPayable, isUnderWay } from '../derived-status.ts'
import { fingerprint } from '../idempotency.ts'
import { type Asker, scopeOf } from '../operation-request.ts'
import { findAgain } from '../restored/lost-order.ts'
import { applyStatusIn } from '../transition.ts'
import { presentPayment } from '../view.ts'

export type CancelRequest = Asker & { paymentId: string; request: CancelPaymentRequest }

const CANCELLABLE: readonly PaymentStatus[] = ['created', 'pending_redirect', 'pending_payment']
/** If the payment changes each time while the provider is asked, the caller tries again. */
const LOOKS_MAX = 3
const CONCURRENT_WAIT_MS = 10_000
const RETRY_AFTER_SECONDS = 3

/**
 * Cancels the payment, or returns it if it was cancelled before.
 * @throws AppError payment_not_found, payment_not_eligible, idempotency_key_reused; provider_unavailable if the provider gives no definite
 *   answer. Then nothing has changed, and the key stays usable.
 */
export async function cancelPayment(
  ctx: Context,
  { paymentId, request, ...asker }: CancelRequest,
): Promise<CancelPaymentResponse> {
  const { merchantId } = asker
  const found = (await findPayment(ctx.db, merchantId, paymentId)) ?? (await findAgain(ctx, paymentId))
  if (found?.merchantId !== merchantId) throw new AppError('payment_not_found')
  const { id } = found
  const claim = {
    ...asker,
    key: scopeOf(asker, asker.idempotencyKey),
    fingerprint: fingerprint(request),
    request,
  }
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const seen = (await findPayment(ctx.db, merchantId, id)) ?? found
    const known = await findCancellation(ctx.db, seen)
    if (known) return replay(ctx, seen, known, claim)
    const answer = await askFirst(ctx, seen)
    const done = await inTransaction(ctx.db, (tx) => cancelIn(ctx, tx, answer, claim))
    if (!done) continue
    await endOrders(ctx, answer)
    const now = (await findPayment(ctx.db, merchantId, id)) ?? answer
    ctx.log.info({ paymentId: id }, 'payment cancelled by its merchant')
    return { ok: true, created: true, payment: presentPayment(ctx, now) }
  }
  throw new AppError('request_in_progress', { retryAfterSeconds: RETRY_AFTER_SECONDS })
}

type Claim = Asker & { key: string; fingerprint: string; request: CancelPaymentRequest }

/** Another key finds the payment cancelled, which is what it wants. */
function replay(
  ctx: Context,
  payment: AttemptedPayment,
  known: CancellationRecord,
  { key, fingerprint: print }: Claim,
): CancelPaymentResponse {
  if (known.key === key && known.fingerprint !== print)
    throw new AppError('idempotency_key_reused', {
      errors: { 'Idempotency-Key': translate('en', 'errors.idempotencyKey.otherContent') },
    })
  return { ok: true, created: false, payment: presentPayment(ctx, payment) }
}

/** Returns false, and writes nothing, if the payment has changed since the provider was asked, or was cancelled meanwhile. */
async function cancelIn(ctx: Context, tx: Tx, seen: AttemptedPayment, claim: Claim): Promise<boolean> {
  const { merchantId, id, version, ownAttempt } = seen
  await limitLockWait(tx, CONCURRENT_WAIT_MS)
  const payment = await lockPayment(tx, merchantId, id)
  if (payment?.version !== version || payment.ownAttempt !== ownAttempt) return false
  if (payment.merchantCancelledAt !== null) return false
  refuseIneligible(payment)
  const createdAt = ctx.clock.now()
  // Somebody is opening the order or taking its money: what comes of it is not known yet.
  if (!(await forbidTaking(tx, payment, createdAt)))
    throw noAnswer('an order of this payment is being opened or taken')
  const { key, fingerprint: print, by = null, request } = claim
  const { reason, metadata = null } = request
  const record = {
    merchantId,
    paymentId: id,
    key,
    fingerprint: print,
    reason,
    metadata,
    actor: by,
    createdAt,
  }
  await insertCancellation(tx, record)
  const change = by === null ? ({ cause: 'request' } as const) : ({ cause: 'operator', actor: by } as const)
  const { outcome } = await applyStatusIn(ctx, tx, payment, { to: 'cancelled', detail: reason, ...change })
  if (outcome !== 'changed') throw new Error(`Bug! The cancel of ${id} was ${outcome}.`)
  return true
}

/** @throws AppError payment_not_eligible */
function refuseIneligible({ id, status, singleAttempt, attempt }: AttemptedPayment): void {
  if (singleAttempt)
    throw new AppError('payment_not_eligible', {
      message: translate('en', 'errors.cancel.savedMethod', { id }),
      hint: translate('en', 'errors.cancel.savedMethodHint'),
    })
  if (!CANCELLABLE.includes(status))
    throw new AppError('payment_not_eligible', {
      message: translate('en', 'errors.cancel.status', { allowed: CANCELLABLE.join(' or '), status }),
    })
  if (attempt.underWaySince && !hasStandingApproval(attempt)) throw underWay(attempt.underWaySince)
}

function underWay(since: Date | null): AppError {
  return new AppError('payment_not_eligible', {
    message: translate('en', 'errors.cancel.underWay', { since: since?.toISOString() ?? 'none' }),
    hint: translate('en', 'errors.cancel.underWayHint'),
  })
}

function noAnswer(why: string): AppError {
  return new AppError('provider_unavailable', {
    message: translate('en', 'errors.cancel.noAnswer'),
    hint: translate('en', 'errors.cancel.noAnswerHint'),
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: new Error(why),
  })
}

/**
 * Asks the provider about each order that a buyer could have paid. Takes no money of an approved one. Returns the payment as it is then
 * stored. @throws AppError payment_not_eligible, provider_unavailable
 */
async function askFirst(ctx: Context, seen: AttemptedPayment): Promise<AttemptedPayment> {
  const { merchantId, id } = seen
  if (CANCELLABLE.includes(seen.status))
    for (const { number, state } of await listAttempts(ctx.db, seen)) {
      if (!mayHavePayableOrder(state)) continue
      const about = await findPaymentAttempt(ctx.db, { merchantId, paymentId: id, number })
      if (about) await askAboutOrder(ctx, about)
    }
  const now = (await findPayment(ctx.db, merchantId, id)) ?? seen
  // Somebody else has cancelled it meanwhile.
  if (now.merchantCancelledAt === null) refuseIneligible(now)
  return now
}

async function askAboutOrder(ctx: Context, payment: AttemptedPayment): Promise<void> {
  const { accountId, mayAppearUntil } = payment.attempt
  const account = await findAccount(ctx, accountId)
  if (!account) throw noAnswer(`the provider account ${accountId} cannot be used now`)
  // This provider answers no questions. Its own proofs are stored already.
  if (!account.driver.lookUp) return
  let answer = await askProvider(ctx, account, payment)
  if (answer.kind === 'found' && answer.snapshot.waitsElsewhere) {
    // A voucher or a transfer that nobody has paid yet.
    await withdrawOrder(ctx, account, payment)
    answer = await askProvider(ctx, account, payment)
  }
  if (answer.kind === 'unavailable') throw noAnswer(answer.message)
  const mayAppear = mayAppearUntil !== null && mayAppearUntil > ctx.clock.now()
  if (answer.kind === 'not_found') {
    if (mayAppear) throw noAnswer('the order may still be opened')
    return
  }
  if (isBusy(answer.snapshot)) throw underWay(payment.attempt.underWaySince)
  // What the provider has decided meanwhile counts.
  if (!isPayable(answer.snapshot)) await askAboutPayment(ctx, payment, answer)
}

const isBusy = (snapshot: Snapshot) => isUnderWay(snapshot) && snapshot.order !== 'approved'

/** Withdraws the open orders, so that nobody pays them any more. The schedule repeats a withdrawal that fails here. */
async function endOrders(ctx: Context, { merchantId, id, ...payment }: AttemptedPayment): Promise<void> {
  for (const { number, state } of await listAttempts(ctx.db, { merchantId, id, ...payment })) {
    if (!mayHavePayableOrder(state)) continue
    const about = await findPaymentAttempt(ctx.db, { merchantId, paymentId: id, number })
    if (!about) continue
    await askAboutAttempt(ctx, about).catch((error: unknown) => {
      ctx.log.info(
        { paymentId: id, reason: String(error) },
        'the order of a cancelled payment is not withdrawn yet',
      )
    })
  }
}
