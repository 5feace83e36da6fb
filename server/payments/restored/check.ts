/**
 * After a restore: asks the providers about each payment that may have moved since the backup, and about orders that the payment may
 * have got since then. The answers are applied as always, and the report shows what the database did not know.
 */
import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import type { Account } from '../../providers/registry.ts'
import { inTransaction } from '../../storage/db.ts'
import { beginPlannedAttempt, insertAttempt, listAttempts } from '../../storage/payments/attempt-orders.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPayment, findPaymentAttempt, lockPayment } from '../../storage/payments/payments.ts'
import { type CheckRecord, postponeCheck, settleCheck } from '../../storage/restores/checks.ts'
import { endRestore } from '../../storage/restores/restores.ts'
import { askProvider } from '../attempts/ask.ts'
import { isOverAttempt, mayTryAgain } from '../attempts/attempt.ts'
import { mayGoOnOpening, mayRepeatStart } from '../attempts/order.ts'
import { askAboutAttempt } from '../attempts/question.ts'
import { nameOfNext } from '../attempts/reference.ts'
import { backOffMs } from '../provider-call.ts'
import { hasNoOwnName, latestRestore } from '../restored.ts'
import { canExpire, isOpen } from '../status.ts'
import { lookUpLost } from './lost-order.ts'
import { type Checked, DONE, findLostCharges, MISSING_FROM_BACKUP, NEVER_FOUND } from './renewals.ts'

/** While one process works on a check, other processes skip it for this long. */
export const CHECK_LEASE_MS = 90_000
const RETRY_MAX_MS = 60_000
/** A payment has rarely more than one order that the backup does not know. */
const LOST_ORDERS_MAX = 5

/** Works once on a check that is due. */
export async function workOnCheck(ctx: Context, check: CheckRecord): Promise<void> {
  const checked = await (check.kind === 'payment' ? checkPayment(ctx, check) : findLostCharges(ctx, check))
  if (checked.kind === 'later') {
    const dueAt = new Date(ctx.clock.now().getTime() + backOffMs(check.attempts, RETRY_MAX_MS))
    return postponeCheck(ctx.db, check, { dueAt, problem: checked.problem })
  }
  await settleCheck(ctx.db, check, checked.kind === 'never' ? checked.problem : null)
  await endIfDone(ctx)
}

/** Ends the open restore if nothing is left to ask. Also after a restore of a database without anything to ask about. */
export async function endIfDone(ctx: Context): Promise<void> {
  if ((await latestRestore(ctx))?.endedAt !== null) return
  if (!(await endRestore(ctx.db, ctx.clock.now()))) return
  ctx.log.warn(
    'the providers were asked about everything since the backup: refunds, captures and voids go on, and so do renewals but those that wait for a person on the desk',
  )
}

async function checkPayment(ctx: Context, { merchantId, id, before }: CheckRecord): Promise<Checked> {
  for (const attempt of await listAttempts(ctx.db, { merchantId, id })) {
    const payment = await findPaymentAttempt(ctx.db, attempt)
    if (!payment || attempt.state === 'refused') continue
    const checked = await checkAttempt(ctx, payment)
    if (checked.kind !== 'done') return checked
  }
  for (let orders = 0; orders < LOST_ORDERS_MAX; orders++) {
    const payment = await findPayment(ctx.db, merchantId, id)
    if (!payment || !isOverAttempt(payment.attempt.state)) return DONE
    const account = await findAccount(ctx, payment.attempt.accountId)
    if (!account) return DONE
    if (hasNoOwnName(account)) return (await mayHaveNextOrder(ctx, payment, before)) ? NEVER_FOUND : DONE
    if (!mayTryAgain(payment, ctx.clock.now())) return DONE
    const found = await findNextOrder(ctx, account, payment)
    if (found) return found
  }
  return DONE
}

async function checkAttempt(ctx: Context, payment: AttemptedPayment): Promise<Checked> {
  // A charge that was not sent before the backup is found with its subscription.
  if (payment.attempt.state === 'planned' && payment.singleAttempt) return DONE
  const account = await findAccount(ctx, payment.attempt.accountId)
  // Messages of its provider since the backup are lost, so a person looks before anybody pays the order again.
  if (account && !account.driver.lookUp && canExpire(payment.status))
    await askAboutAttempt(ctx, payment, { lane: 'schedule' })
  const obstacle = whyNot(ctx, payment, account)
  if (obstacle || !account) return obstacle ?? DONE
  if (payment.attempt.state === 'planned') return checkPlanned(ctx, account, payment)
  if (mustRepeatStart(ctx, account, payment)) {
    const { isDefinite } = await askAboutAttempt(ctx, payment, { lane: 'schedule' })
    return isDefinite
      ? DONE
      : { kind: 'later', problem: 'the order is being asked for by repeating the request' }
  }
  const answer = await askProvider(ctx, account, payment, { lane: 'schedule' })
  if (answer.kind === 'unavailable') return { kind: 'later', problem: answer.message }
  const { isDefinite } = await askAboutAttempt(ctx, payment, { answer, lane: 'schedule' })
  if (!isDefinite) return { kind: 'later', problem: 'the provider has not said everything yet' }
  const mayHaveMissed = account.driver.resultsByCallback !== undefined && payment.attempt.state === 'paid'
  return mayHaveMissed ? { kind: 'never', problem: MISSING_FROM_BACKUP } : DONE
}

/** Returns why the provider cannot be asked about this order; null if it can. */
function whyNot(ctx: Context, payment: AttemptedPayment, account: Account | null): Checked | null {
  const { accountId, providerState } = payment.attempt
  if (!account) return { kind: 'later', problem: `the provider account ${accountId} cannot be used now` }
  if (!account.driver.lookUp) return { kind: 'never', problem: 'this provider cannot be asked' }
  if (!account.driver.foundByStateOnly || providerState !== null) return null
  return mustRepeatStart(ctx, account, payment) ? null : NEVER_FOUND
}

/**
 * The answer with the order's own id was lost, or came after the backup. The provider cannot be asked for the order, but the same
 * request returns it, with its id.
 */
function mustRepeatStart(ctx: Context, account: Account, payment: AttemptedPayment): boolean {
  const isNameless = account.driver.foundByStateOnly === true && payment.attempt.providerState === null
  return isNameless && mayGoOnOpening(ctx, payment) && mayRepeatStart(ctx, account, payment)
}

/** A buyer may have gone on after the backup. The order is then at the provider under the reference that was planned. */
async function checkPlanned(ctx: Context, account: Account, payment: AttemptedPayment): Promise<Checked> {
  const answer = await lookUpLost(ctx, account, { reference: payment.attempt.reference })
  if (answer.kind === 'unavailable') return { kind: 'later', problem: answer.message }
  if (answer.kind === 'not_found') return hasNoOwnName(account) ? NEVER_FOUND : DONE
  const now = ctx.clock.now()
  const begun = await inTransaction(ctx.db, async (tx) => {
    const locked = await lockPayment(tx, payment.merchantId, payment.id)
    if (locked?.attempt.state !== 'planned') return false
    const order = { ...payment.attempt, leaseUntil: now, questionDueAt: now }
    return beginPlannedAttempt(tx, payment.attempt, order, now)
  })
  const opened = begun ? await findPaymentAttempt(ctx.db, payment.attempt) : null
  if (!opened) return { kind: 'later', problem: 'the payment changed while the provider was asked' }
  const { isDefinite } = await askAboutAttempt(ctx, opened, { lane: 'schedule' })
  return isDefinite ? DONE : { kind: 'later', problem: 'the provider has not said everything yet' }
}

/** Whether a buyer could open another order after the backup, of which nobody can find the name. */
async function mayHaveNextOrder(
  ctx: Context,
  payment: AttemptedPayment,
  before: CheckRecord['before'],
): Promise<boolean> {
  const restore = await latestRestore(ctx)
  if (restore === null || before === null || payment.singleAttempt) return false
  return isOpen(before.status) && payment.expiresAt > restore.backupAt
}

/**
 * The last order that the backup knows is over. The buyer may have opened another one since. Returns null if there is one, which is
 * now stored; else how the check ends.
 */
async function findNextOrder(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
): Promise<Checked | null> {
  const now = ctx.clock.now()
  const { attempt } = payment
  const reference = await nameOfNext(ctx, attempt)
  const answer = await lookUpLost(ctx, account, { reference })
  if (answer.kind === 'unavailable') return { kind: 'later', problem: answer.message }
  if (answer.kind === 'not_found') return DONE
  const number = await inTransaction(ctx.db, async (tx) => {
    const locked = await lockPayment(tx, payment.merchantId, payment.id)
    if (!locked || locked.attempt.number !== attempt.number || !mayTryAgain(locked, now)) return null
    return insertAttempt(tx, locked, { ...attempt, reference, leaseUntil: now, questionDueAt: now }, now)
  })
  const opened = number === null ? null : await findPaymentAttempt(ctx.db, { ...attempt, number })
  if (!opened) return { kind: 'later', problem: 'the payment changed while the provider was asked' }
  const { isDefinite } = await askAboutAttempt(ctx, opened, { lane: 'schedule' })
  return isDefinite ? null : { kind: 'later', problem: 'the provider has not said everything yet' }
}
