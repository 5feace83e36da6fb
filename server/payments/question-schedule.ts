/** When the provider is next asked about a payment. The table has a row for each status. */
import {
  type CallbackHabit,
  callbackHabitOf,
  lateMoneyMs,
  reportsBuyers,
} from '../accounts/callbacks-seen.ts'
import { recallAccount } from '../accounts/choice.ts'
import type { Context } from '../context.ts'
import type { PaymentStatus } from '../contract/payment.ts'
import type { Account } from '../providers/registry.ts'
import type { Attempt } from '../storage/payments/attempt.ts'
import type { Payment } from '../storage/payments/payment.ts'
import { isOwn } from './own-attempt.ts'
import { mayBeKnownAlready } from './restored.ts'
import { canExpire, OVER_UNPAID } from './status.ts'
import { transferOf } from './transfers/transfer.ts'

/** The minimum time between two questions about one payment that look-ups, pages and returns cause. */
export const MIN_QUESTION_INTERVAL_MS = 3_000
const DAY_MS = 24 * 3_600_000
/**
 * The short delays apply until this long after the payment has expired. A buyer who is identifying himself at his bank when the
 * payment expires gets this time to finish.
 */
export const AFTER_EXPIRY_MS = 30 * 60_000
/** How long after the expiry a provider that cannot be asked may still prove a payment that it was allowed to take. */
export const PROOF_WAIT_MS = 15 * 60_000

/** After this time the questions about an order that can still be paid become daily. */
const HOURLY_MS = DAY_MS
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

type Days = readonly number[]
const daily = (count: number): Days => Array.from({ length: count }, (_, day) => day + 1)

const sameForBoth = (days: Days): Record<CallbackHabit, Days> => ({ calls: days, silent: days })

/** For so long a payment waits on which the provider says that it is still working. Then a person decides. */
export const UNDER_WAY_MAX_MS = 30 * DAY_MS

/** Until when a payment waits for a provider that works on it. Null if no provider does, or if the payment has not been open since. */
export function decidesBy({
  status,
  attempt: { underWaySince },
}: Pick<Payment, 'status'> & { attempt: Pick<Attempt, 'underWaySince'> }): Date | null {
  if (!underWaySince || !canExpire(status)) return null
  return new Date(underWaySince.getTime() + UNDER_WAY_MAX_MS)
}

/** Many reviews end within minutes, so for this long the short delays apply. */
const UNDER_WAY_OFTEN_MS = 30 * 60_000

/** Money can be given back, or taken back by the buyer's bank, for half a year. */
const SETTLED: Record<CallbackHabit, Days> = {
  calls: [1, 7, 30, 90, 120, 180],
  silent: [...daily(90), 120, 180],
}

/**
 * `often`: the provider is asked by the delays of STATUS_SYNC_DELAYS until a little after the payment expires. `silent`: only if the
 * account's provider does not call back. Other providers are first asked at the expiry, and from then on by the delays.
 * `days`: the provider is asked so many days after the payment's last change.
 * A payment whose status has no row is not asked about.
 */
type Row = { often?: true | 'silent'; days?: Record<CallbackHabit, Days> }
const SCHEDULE: Partial<Record<PaymentStatus, Row>> = {
  created: { often: true },
  // The buyer has not reached the provider. Callbacks, the return and look-ups report it, and the expiry asks.
  pending_redirect: { often: 'silent' },
  pending_payment: { often: true },
  // Money may still arrive.
  failed: { often: true },
  cancelled: { often: true },
  expired: { often: true },
  // After 7 days an operator has to decide.
  status_unknown: { often: true, days: sameForBoth(daily(7)) },
  // A hold can lapse and a dispute can be decided without a callback that reaches us.
  authorized: { days: sameForBoth(daily(35)) },
  disputed: { days: sameForBoth(daily(180)) },
  paid: { days: SETTLED },
  partially_refunded: { days: SETTLED },
  // A refund can fail after it succeeded.
  refunded: { days: SETTLED },
}

/** Whether only refunds, disputes and the like can still change the payment. */
export function isSettled(status: PaymentStatus): boolean {
  return SCHEDULE[status]?.days === SETTLED
}

/** Returns when the provider is first asked about a new payment or a new saved method. */
export function firstQuestionAt(ctx: Context, createdAt: Date): Date {
  return new Date(createdAt.getTime() + questionDelayMs(ctx, 0))
}

/** Returns the delay after this many questions. The last delay of STATUS_SYNC_DELAYS repeats. */
export function questionDelayMs({ config }: Context, questions: number): number {
  const delays = config.statusSyncDelaysSeconds
  return (delays[Math.min(questions, delays.length - 1)] ?? 900) * 1000
}

/** Returns the pause after this many questions without a definite answer. It grows to an hour, and after a day to a day. */
export function pauseWithoutAnswerMs(ctx: Context, questions: number): number {
  const left = questions - ctx.config.statusSyncDelaysSeconds.length
  if (left < 0) return questionDelayMs(ctx, questions)
  return left < HOURLY_MS / HOUR_MS ? HOUR_MS : DAY_MS
}

type ScheduledPayment = Pick<
  Payment,
  'id' | 'status' | 'createdAt' | 'expiresAt' | 'updatedAt' | 'ownAttempt' | 'merchantCancelledAt'
> & {
  attempt: Pick<Attempt, 'accountId' | 'number' | 'state' | 'underWaySince' | 'begunAt' | 'openedAt'>
}

/**
 * Returns when the provider is next asked about an attempt of the payment; null when it is not asked any more.
 * `questions`: how many questions were asked since the payment's last status change.
 */
export function nextQuestionAt(ctx: Context, payment: ScheduledPayment, questions: number): Date | null {
  const { status, expiresAt, updatedAt, attempt } = payment
  const mayExpire = canExpire(status)
  // There is nothing to ask about, but the payment ends when its time has passed.
  if (attempt.state === 'planned' || attempt.state === 'refused') return mayExpire ? expiresAt : null
  // An account that cannot be used now may be usable again, so its payments stay in the schedule.
  const account = recallAccount(ctx, attempt.accountId)
  if (account && !account.driver.lookUp) return mayExpire ? nextWithoutLookUp(ctx, account, payment) : null
  const working = nextWhileUnderWay(ctx, attempt, questions)
  if (working) return working
  const now = ctx.clock.now().getTime()
  const end = expiresAt.getTime()
  const own = isOwn(payment)
  const habit = callbackHabitOf(ctx, account)
  const { often, days } = (own ? SCHEDULE[status] : OTHER_ATTEMPT) ?? {}
  if (often && now <= end + AFTER_EXPIRY_MS) {
    const next = now + questionDelayMs(ctx, questions)
    // A payment that can expire is always asked about at its expiry.
    if (!own || !mayExpire || now >= end) return new Date(next)
    const isReported = often === 'silent' && account && reportsBuyers(ctx, account)
    return new Date(isReported ? end : Math.min(next, end))
  }
  const isEnded = !own || mayExpire || OVER_UNPAID.includes(status)
  const untilMs = end + lateMoneyMs(ctx, account)
  const wasThere = attempt.openedAt ?? attempt.state === 'declined'
  if (isEnded && ((habit === 'silent' && wasThere) || mayBringMoney(payment)) && now < untilMs)
    return new Date(now + (now < end + HOURLY_MS ? HOUR_MS : DAY_MS))
  const next = days?.[habit].find((day) => updatedAt.getTime() + day * DAY_MS > now)
  return next === undefined ? null : new Date(updatedAt.getTime() + next * DAY_MS)
}

/**
 * A driver without lookUp can never be asked. If its provider proves payments by itself, the payment ends after its expiry. Otherwise
 * a person ends it. A buyer who pays by a transfer is reminded before.
 */
function nextWithoutLookUp({ clock }: Context, account: Account, payment: ScheduledPayment): Date | null {
  const now = clock.now()
  const { expiresAt } = payment
  if (!account.driver.inbound) {
    const remindAt = transferOf(account, payment)?.remindAt
    return remindAt && remindAt > now ? remindAt : null
  }
  if (now >= expiresAt)
    return new Date(Math.max(now.getTime() + MINUTE_MS, expiresAt.getTime() + PROOF_WAIT_MS))
  const waitsUntil = new Date(now.getTime() + DAY_MS + PROOF_WAIT_MS)
  return payment.status === 'pending_payment' && waitsUntil < expiresAt ? waitsUntil : expiresAt
}

/**
 * Returns when a new order is first asked about; null if the driver cannot be asked, and nothing ends the payment by itself. `status`:
 * the payment's, once the order is open.
 */
export async function firstQuestionOf(
  ctx: Context,
  account: Account,
  { at, expiresAt, status }: { at: Date } & Pick<Payment, 'expiresAt' | 'status'>,
): Promise<Date | null> {
  const { lookUp, inbound, transfer } = account.driver
  // The buyer gets a mail with what a transfer needs.
  if (transfer && ctx.config.smtpServer) return at
  if (!lookUp) return inbound ? expiresAt : null
  const isReported = SCHEDULE[status]?.often === 'silent' && reportsBuyers(ctx, account)
  // The provider has called back about an order that our database has lost, and does not repeat that callback.
  return isReported && !(await mayBeKnownAlready(ctx, at)) ? expiresAt : firstQuestionAt(ctx, at)
}

/**
 * While the provider works on a payment, it is asked often at first, then hourly for a day, then daily, also where it calls back:
 * callbacks get lost. The last question is the one that leaves the payment to a person. Null after that.
 */
function nextWhileUnderWay(
  ctx: Context,
  { underWaySince }: Pick<Attempt, 'underWaySince'>,
  questions: number,
): Date | null {
  if (!underWaySince) return null
  const now = ctx.clock.now().getTime()
  const workedMs = now - underWaySince.getTime()
  if (workedMs >= UNDER_WAY_MAX_MS) return null
  const pauseMs =
    workedMs < UNDER_WAY_OFTEN_MS ? questionDelayMs(ctx, questions) : workedMs < DAY_MS ? HOUR_MS : DAY_MS
  return new Date(Math.min(now + pauseMs, underWaySince.getTime() + UNDER_WAY_MAX_MS))
}

/** An attempt that is not the payment's own may have money that has to go back, or may still get some. */
const OTHER_ATTEMPT: Row = { often: true }

/** Whether the order can still be paid at the provider, or has money that is not decided yet. */
function mayBringMoney(payment: ScheduledPayment): boolean {
  const { state } = payment.attempt
  const isNotPayments = !isOwn(payment) || payment.merchantCancelledAt !== null
  return state === 'opening' || state === 'open' || state === 'lost' || (state === 'paid' && isNotPayments)
}

/** How many visits of one kind may ask the provider at once, within this time. A real buyer comes less often. */
const AT_ONCE_MAX = 5
const AT_ONCE_WITHIN_MS = 60_000
const VISITS_REMEMBERED = 10_000

type Visits = { isBack: boolean; atOnce: number; since: number }
/** For each world: the visits that this process has seen, by what they are about. */
const visits = new WeakMap<Context['db'], Map<string, Visits>>()

function visitsOf({ db, clock }: Context, about: string): Visits {
  const all = visits.get(db) ?? new Map<string, Visits>()
  visits.set(db, all)
  if (all.size >= VISITS_REMEMBERED) all.clear()
  const now = clock.now().getTime()
  const seen = all.get(about) ?? { isBack: false, atOnce: 0, since: now }
  if (now - seen.since >= AT_ONCE_WITHIN_MS) Object.assign(seen, { atOnce: 0, since: now })
  all.set(about, seen)
  return seen
}

/** Returns true if a visit may ask the provider at once, however recently others have asked. `about`: what is visited, and how. */
export function mayAskAtOnce(ctx: Context, about: string): boolean {
  const seen = visitsOf(ctx, about)
  seen.atOnce += 1
  return seen.atOnce <= AT_ONCE_MAX
}

/** The same for a buyer who comes back: only the first return since he went on to the provider. */
export function mayAskAtReturn(ctx: Context, about: string): boolean {
  const seen = visitsOf(ctx, about)
  if (seen.isBack) return false
  seen.isBack = true
  return mayAskAtOnce(ctx, about)
}

/** The buyer goes on to the provider, so the next return is a first one again. */
export function forgetReturn(ctx: Context, about: string): void {
  visitsOf(ctx, about).isBack = false
}
