/**
 * The one machine that opens an order at a provider: for a new payment, a retry with its key, the buyer's click and the worker alike. The
 * lease of the attempt says who is at work. No transaction is open while the provider is called.
 * Rule: a process that continues an opening of another process asks the provider for the order first.
 */
import { openingUnsureMs } from '../../accounts/call-timeouts.ts'
import { chooseAccount, findAccount } from '../../accounts/choice.ts'
import type { Refused } from '../../accounts/refusal.ts'
import type { Context } from '../../context.ts'
import type { ProviderRoute } from '../../contract/fields.ts'
import type { Account } from '../../providers/registry.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import {
  beginPlannedAttempt,
  insertAttempt,
  leaveOrder,
  takeAttemptLease,
} from '../../storage/payments/attempt-orders.ts'
import { type AttemptedPayment, withAttempt } from '../../storage/payments/payment.ts'
import { findPayment, lockPayment } from '../../storage/payments/payments.ts'
import { takesAmount } from '../account.ts'
import { firstQuestionAt, firstQuestionOf } from '../question-schedule.ts'
import { applyStarted, applyStatus, asStarted } from '../transition.ts'
import { mayTryAgain } from './attempt.ts'
import { openingEnd, release } from './lease.ts'
import { isLosing, LOSING } from './lost-order.ts'
import {
  type Answer,
  type Answered,
  isStartKeyed,
  type OpenOrder,
  reread,
  startedBy,
  startOrder,
} from './order.ts'
import { withdrawOrder } from './provider-order.ts'
import { nameOfNext, referenceFor } from './reference.ts'
import { wantedPauseMs } from './send-to-provider.ts'
import { warn } from './warning.ts'

/**
 * `open`: the buyer can go to the provider. `over`: the payment cannot be paid any more, or is paid. `busy`: somebody else is opening
 * the order, or, with `why`, nobody knows yet whether there is one. `refused`: the provider refused for good to open an order; another
 * attempt may follow. `not_ready`: the merchant may not use this route now. `choose`: the buyer has to choose a route first.
 */
export type Opening = {
  kind: 'open' | 'over' | 'busy' | 'refused' | 'not_ready' | 'choose'
  payment: AttemptedPayment
  /** This call opened the order. */
  isOpener?: true
  refused?: Refused
  /** Why nobody knows, in the operator's words. */
  why?: string
  /** How long the provider wants us to wait before the order is opened again. */
  retryAfterMs?: number
}

/**
 * Stores the payment's next order, which the caller has to open: a planned one, or the one after an order that has ended. Returns
 * null if the payment has changed since it was read.
 */
export async function beginOpening(
  ctx: Context,
  seen: AttemptedPayment,
  route: ProviderRoute,
): Promise<Opening | Answered | null> {
  const { merchantId, currency } = seen
  // The account may have been mended since the payment was refused.
  const isRepeated = seen.attempt.state === 'refused'
  const account = await chooseAccount(ctx, { merchantId, route, currency, isRepeated })
  if (!account || !takesAmount(account, seen)) return { kind: 'not_ready', payment: seen }
  const nextName = await nameOfNext(ctx, seen.attempt)
  const begun = await inTransaction(ctx.db, async (tx) => {
    const payment = await lockPayment(tx, merchantId, seen.id)
    const now = ctx.clock.now()
    const { number, state } = seen.attempt
    if (payment?.attempt.number !== number || payment.attempt.state !== state) return null
    if (payment.attempt.underWaySince) return null
    return mayTryAgain(payment, now) ? placeOrder(ctx, tx, account, payment, nextName) : null
  })
  return begun && openBegun(ctx, account, begun)
}

async function placeOrder(
  ctx: Context,
  tx: Tx,
  account: Account,
  payment: AttemptedPayment,
  nextName: string,
): Promise<AttemptedPayment | null> {
  const now = ctx.clock.now()
  const order = {
    provider: account.route,
    accountId: account.id,
    reference: await referenceFor(ctx, tx, account, payment.attempt, nextName),
    leaseUntil: openingEnd(ctx),
    questionDueAt: firstQuestionAt(ctx, now),
  }
  if (payment.attempt.state !== 'planned') await insertAttempt(tx, payment, order, now)
  else if (!(await beginPlannedAttempt(tx, payment.attempt, order, now))) return null
  return findPayment(tx, payment.merchantId, payment.id)
}

/** Opens an order that was just stored. The lease with which the payment was read is the caller's. */
export async function openBegun(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
  claim: 'new' | 'resumed' = 'new',
): Promise<Opening | Answered> {
  const answer = await startOrder(ctx, account, payment, claim)
  if (answer.kind !== 'answered') return finish(ctx, account, payment, answer)
  await release(ctx, payment)
  return answer
}

/** Goes on with an order that somebody else began to open. Returns null while somebody is opening it. */
export async function resumeOpening(
  ctx: Context,
  seen: AttemptedPayment,
): Promise<Opening | Answered | null> {
  const now = ctx.clock.now()
  if (seen.attempt.leaseUntil && now < seen.attempt.leaseUntil) return null
  const account = await findAccount(ctx, seen.attempt.accountId)
  if (!account) return { kind: 'not_ready', payment: seen }
  const until = openingEnd(ctx)
  if (!(await takeAttemptLease(ctx.db, seen.attempt, { now, until }))) return null
  return openBegun(ctx, account, withAttempt(seen, { leaseUntil: until }), 'resumed')
}

/** The one switch over what can come of opening an order. */
async function finish(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
  answer: Answer,
): Promise<Opening | Answered> {
  switch (answer.kind) {
    case 'timed_out':
      // The lease stays. The running call may still open the order, so a look-up now could wrongly report that there is none.
      return { kind: 'busy', payment, why: answer.message }
    case 'unsent':
    case 'not_taken':
    case 'unknown': {
      ctx.log.warn({ paymentId: payment.id, why: answer.message }, 'the order was not opened for sure')
      const isUnsure = answer.kind === 'unknown' && !isStartKeyed(account)
      const retryAfterMs = wantedPauseMs(answer)
      await release(ctx, payment, { unsureMs: isUnsure ? openingUnsureMs(account) : 0, retryAfterMs })
      return { kind: 'busy', payment: await reread(ctx, payment), why: answer.message, retryAfterMs }
    }
    case 'unreachable':
      ctx.log.warn({ paymentId: payment.id, why: answer.message }, 'the order was opened without its address')
      return giveUp(ctx, account, payment, answer.message)
    case 'lost':
      ctx.log.warn({ paymentId: payment.id, why: answer.message }, 'the order was opened without its address')
      return openInstead(ctx, payment, { state: 'lost', why: answer.message })
    case 'taken':
      ctx.log.warn({ paymentId: payment.id, why: answer.message }, 'the number of an order was used before')
      return openInstead(ctx, payment, { state: 'refused', why: answer.message })
    case 'refused': {
      const { refusal = 'request', message } = answer
      ctx.log.warn({ paymentId: payment.id, why: message }, 'the provider refused to open an order')
      await release(ctx, payment, { isRefused: true })
      return { kind: 'refused', payment: await reread(ctx, payment), refused: { refusal, message } }
    }
    case 'unopened':
      ctx.log.warn({ paymentId: payment.id, why: answer.message }, 'the provider has opened no order')
      await release(ctx, payment, { isRefused: true })
      return { kind: 'not_ready', payment: await reread(ctx, payment) }
    case 'expired':
      await release(ctx, payment)
      return { kind: 'over', payment: await reread(ctx, payment) }
    default:
      return storeOpened(ctx, account, payment, answer)
  }
}

/**
 * No buyer can be sent to this order. Once the provider says that it is over, another one is opened. If nobody can ask the provider, a
 * person decides.
 */
async function giveUp(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
  why: string,
): Promise<Opening> {
  const isAskable = account.driver.lookUp !== undefined
  if (isAskable) await withdrawOrder(ctx, account, payment)
  else await applyStatus(ctx, payment, { to: 'status_unknown', cause: 'provider', detail: why }, payment)
  await release(ctx, payment)
  const now = await reread(ctx, payment)
  return isAskable ? { kind: 'busy', payment: now, why } : { kind: 'over', payment: now }
}

/** How many orders of a payment one call opens. The next call opens the next one. */
const INSTEAD_MAX = 20

/**
 * Leaves an order that no buyer of this payment can ever pay, and opens the next one. Both are stored at once, so no second order follows
 * a first one that somebody still opens.
 */
async function openInstead(
  ctx: Context,
  payment: AttemptedPayment,
  { state, why }: { state: 'lost' | 'refused'; why: string },
): Promise<Opening | Answered> {
  const { merchantId, id, currency, attempt } = payment
  const { leaseUntil, provider: route } = attempt
  const account = await chooseAccount(ctx, { merchantId, route, currency })
  const nextName = await nameOfNext(ctx, attempt)
  const begun = await inTransaction(ctx.db, async (tx) => {
    const locked = await lockPayment(tx, merchantId, id)
    const now = ctx.clock.now()
    if (!account || !leaseUntil || locked?.attempt.number !== attempt.number || !mayTryAgain(locked, now))
      return null
    if (!takesAmount(account, locked)) return null
    const questionDueAt = state === 'lost' ? firstQuestionAt(ctx, now) : null
    if (!(await leaveOrder(tx, { ...attempt, leaseUntil }, { state, questionDueAt }))) return null
    if (attempt.number % INSTEAD_MAX === 0) return null
    return (await isLosing(tx, locked)) ? null : placeOrder(ctx, tx, account, locked, nextName)
  })
  if (account && begun) return openBegun(ctx, account, begun)
  await release(ctx, payment)
  const left = await reread(ctx, payment)
  if (left.attempt.state === 'lost') await warn(ctx, left, LOSING)
  return { kind: 'busy', payment: left, why }
}

async function storeOpened(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
  order: OpenOrder,
): Promise<Opening> {
  const { attempt } = payment
  const { merchantId, paymentId, number, leaseUntil } = attempt
  const started = startedBy(order, payment)
  const at = ctx.clock.now()
  const { expiresAt } = payment
  // The provider may open a further order while the buyer is there.
  const status = payment.status === 'created' ? 'pending_redirect' : payment.status
  const questionDueAt = await firstQuestionOf(ctx, account, { at, expiresAt, status })
  const questionWasDueAt = attempt.questionDueAt
  const opened = { merchantId, paymentId, number, ...started, questionDueAt, questionWasDueAt, at }
  const hasMoved = leaseUntil !== null && (await applyStarted(ctx, { ...opened, leaseUntil }))
  if (hasMoved) return { kind: 'open', payment: asStarted(payment, started, at), isOpener: true }
  const now = await reread(ctx, payment)
  ctx.log.info({ paymentId, attempt: number, accountId: account.id }, 'order opened')
  if (now.attempt.number === number && now.attempt.state === 'open')
    return { kind: 'open', payment: now, isOpener: true }
  return { kind: now.attempt.state === 'opening' ? 'busy' : 'over', payment: now }
}
