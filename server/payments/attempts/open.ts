/**
 * The buyer goes on to the provider: the payment's open attempt is returned to, a planned one is opened, and after a finished one
 * another is opened.
 * Rule: of several clicks at once one opens the order, under a lease on the attempt's row. Nothing is opened before the provider
 * has been asked about the last attempt, nor after the payment's expiry.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { chooseAccount, findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import type { ProviderRoute } from '../../contract/fields.ts'
import type { Refusal } from '../../providers/driver/refusal.ts'
import type { Account } from '../../providers/registry.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import {
  beginPlannedAttempt,
  finishOpening,
  insertAttempt,
  type LeasedAttempt,
  releaseOpening,
  takeAttemptLease,
} from '../../storage/payments/attempt-orders.ts'
import { findPayment, lockPayment, type PaymentRecord } from '../../storage/payments/payments.ts'
import { takesAmount } from '../account.ts'
import { firstQuestionAt } from '../question-schedule.ts'
import { canExpire } from '../status.ts'
import { isOverAttempt, mayTryAgain } from './attempt.ts'
import { reread, startedBy, startOrder } from './order.ts'
import { withdrawOrder } from './provider-order.ts'
import { findPaidBefore } from './question.ts'
import { allocateReference, nameOfNext } from './reference.ts'
import { askBeforeOpening } from './visit.ts'

/** How long a click waits for another click that is opening the order. */
const WAIT_MS = 10_000
const POLL_MS = 50

/**
 * `open`: the buyer can go to the payment's checkout. `over`: the payment cannot be paid any more, or is paid. `busy`: it is not
 * known yet whether the payment can be tried again; the buyer should look again soon. `unavailable`: the provider did not open an
 * order, and the buyer may try again. `not_ready`: the merchant may not use this route now. `choose`: the buyer has not chosen a
 * route for the next order yet.
 */
export type Opening = {
  kind: 'open' | 'over' | 'busy' | 'unavailable' | 'not_ready' | 'choose'
  payment: PaymentRecord
}

/**
 * Opens an attempt for the buyer who goes on, or returns to the open one. `route`: the buyer's choice; by default the route of the
 * last attempt; null if the buyer still has to choose.
 */
export async function openAttempt(
  ctx: Context,
  found: PaymentRecord,
  route: ProviderRoute | null = found.provider,
): Promise<Opening> {
  const { payment, isDefinite } = await askBeforeOpening(ctx, found)
  // Without a definite answer the last order may have been paid meanwhile.
  if (!isDefinite && isOverAttempt(payment.attemptState)) return { kind: 'busy', payment }
  const deadline = performance.now() + WAIT_MS
  let current = payment
  for (;;) {
    const now = ctx.clock.now()
    if (!canExpire(current.status))
      return { kind: current.status === 'status_unknown' ? 'busy' : 'over', payment: current }
    if (now >= current.expiresAt) return { kind: 'over', payment: current }
    // The buyer has paid, as far as he can. A second order could take the money twice.
    if (current.underWaySince) return { kind: 'busy', payment: current }
    if (current.attemptState === 'open') return { kind: 'open', payment: current }
    const opening = await openOnce(ctx, current, route)
    if (opening) return opening
    if (performance.now() >= deadline) return { kind: 'busy', payment: current }
    await sleep(POLL_MS)
    current = await reread(ctx, current)
  }
}

/** Returns null when somebody else is opening the order, or has just changed the payment. */
async function openOnce(
  ctx: Context,
  payment: PaymentRecord,
  route: ProviderRoute | null,
): Promise<Opening | null> {
  if (payment.attemptState === 'opening') return goOnOpening(ctx, payment)
  if (payment.attemptState === 'paid') return { kind: 'busy', payment }
  if (route === null) return { kind: 'choose', payment }
  const { merchantId, currency } = payment
  const account = await chooseAccount(ctx, { merchantId, route, currency })
  if (!account || !takesAmount(account, payment)) return { kind: 'not_ready', payment }
  const begun = await beginOpening(ctx, account, payment)
  return begun && finishWith(ctx, account, begun, 'new')
}

/** Whether the account cannot be used at all, so that a further click of the buyer would fail too. */
const ofAccount = (refusal: Refusal | undefined) =>
  refusal === 'credentials' || refusal === 'rights' || refusal === 'account'

type Begun = { payment: PaymentRecord; lease: LeasedAttempt }

const leaseEnd = (ctx: Context) =>
  new Date(ctx.clock.now().getTime() + ctx.config.idempotencyLeaseSeconds * 1000)

/** Stores the order that is going to be opened. Returns null when the payment has changed since it was read. */
async function beginOpening(ctx: Context, account: Account, seen: PaymentRecord): Promise<Begun | null> {
  const nextName = await nameOfNext(ctx, seen)
  return inTransaction(ctx.db, async (tx) => {
    const payment = await lockPayment(tx, seen.merchantId, seen.id)
    const now = ctx.clock.now()
    if (!payment || payment.attempt !== seen.attempt || payment.attemptState !== seen.attemptState)
      return null
    if (payment.underWaySince || !mayTryAgain(payment, now)) return null
    const leaseUntil = leaseEnd(ctx)
    const order = {
      provider: account.route,
      accountId: account.id,
      providerReference: await referenceFor(tx, account, payment, nextName),
      leaseUntil,
      questionDueAt: account.driver.lookUp ? firstQuestionAt(ctx, now) : null,
    }
    const number = await placeOrder(tx, payment, order, now)
    if (number === null) return null
    const begun = (await findPayment(tx, payment.merchantId, payment.id)) ?? payment
    return { payment: begun, lease: { ...begun, attempt: number, leaseUntil } }
  })
}

async function placeOrder(
  tx: Tx,
  payment: PaymentRecord,
  order: Parameters<typeof insertAttempt>[2],
  now: Date,
): Promise<number | null> {
  if (payment.attemptState !== 'planned') return insertAttempt(tx, payment, order, now)
  return (await beginPlannedAttempt(tx, payment, order, now)) ? payment.attempt : null
}

/** A planned order keeps its reference, unless it now goes to a provider with a rule of its own for references. */
async function referenceFor(
  tx: Tx,
  account: Account,
  payment: PaymentRecord,
  nextName: string,
): Promise<string> {
  const fits = payment.accountId === account.id || !account.driver.allocateReference
  if (payment.attemptState === 'planned' && fits) return payment.providerReference
  return allocateReference(tx, account, nextName)
}

/**
 * Goes on with an order that somebody else began to open. Returns null while somebody is opening it. An order that a creation opens
 * has no lease: the holder of the creation's key opens it, until the provider is seen to have it. A charge of a saved method is
 * never opened for a buyer: it may have been sent, and its answer lost.
 */
export async function goOnOpening(ctx: Context, payment: PaymentRecord): Promise<Opening | null> {
  const isOfCreation = payment.status === 'created' && payment.attemptLeaseUntil === null
  if (isOfCreation || payment.singleAttempt) return { kind: 'busy', payment }
  const account = await findAccount(ctx, payment.accountId)
  if (!account) return { kind: 'not_ready', payment }
  const leaseUntil = leaseEnd(ctx)
  const taken = await takeAttemptLease(ctx.db, payment, { now: ctx.clock.now(), until: leaseUntil })
  return taken ? finishWith(ctx, account, { payment, lease: { ...payment, leaseUntil } }, 'resumed') : null
}

async function finishWith(
  ctx: Context,
  account: Account,
  { payment, lease }: Begun,
  claim: 'new' | 'resumed',
): Promise<Opening> {
  const { leaseUntil } = lease
  const answer = await startOrder(ctx, account, payment, { claim, leaseUntil })
  const now = ctx.clock.now()
  switch (answer.kind) {
    case 'timed_out':
      // Keep the lease: the running call may still open the order.
      return standing(ctx, payment, 'busy')
    case 'unreachable':
      // The buyer may have paid it before the restore.
      if ((await findPaidBefore(ctx, payment)) !== null) return standing(ctx, payment, 'over')
      ctx.log.warn({ paymentId: payment.id, why: answer.message }, 'the order was opened without its address')
      // No buyer can be sent there. Once the provider says that the order is over, another one is opened.
      await withdrawOrder(ctx, account, payment)
      await releaseOpening(ctx.db, lease, { now })
      return standing(ctx, payment, 'busy')
    case 'unknown':
      ctx.log.warn({ paymentId: payment.id, why: answer.message }, 'the order was not opened for sure')
      await releaseOpening(ctx.db, lease, { now })
      return standing(ctx, payment, 'busy')
    case 'refused':
      ctx.log.warn({ paymentId: payment.id, why: answer.message }, 'the provider refused to open an order')
      await releaseOpening(ctx.db, lease, { now, state: 'refused' })
      return standing(ctx, payment, ofAccount(answer.refusal) ? 'not_ready' : 'unavailable')
    case 'expired':
      await releaseOpening(ctx.db, lease, { now })
      return standing(ctx, payment, 'over')
    default: {
      const questionDueAt = account.driver.lookUp ? firstQuestionAt(ctx, now) : null
      await finishOpening(ctx.db, lease, { ...startedBy(answer, payment), questionDueAt, at: now })
      ctx.log.info({ paymentId: payment.id, attempt: lease.attempt, accountId: account.id }, 'order opened')
      const opened = await standing(ctx, payment, 'open')
      return opened.payment.attemptState === 'open' ? opened : { ...opened, kind: 'over' }
    }
  }
}

async function standing(ctx: Context, payment: PaymentRecord, kind: Opening['kind']): Promise<Opening> {
  return { kind, payment: await reread(ctx, payment) }
}
