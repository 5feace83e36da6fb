/**
 * Questions that visits cause: a look-up, a page that is shown, a click, the buyer's return. Anybody who knows a payment's address
 * can cause them as often as they like. So all visits, at all processes, share one question about an attempt every few seconds, and
 * those of unknown visitors are of the lowest class of the account's requests.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import type { GateLane } from '../../providers/http.ts'
import type { Attempt } from '../../storage/payments/attempt.ts'
import { recordAttempt } from '../../storage/payments/attempt-orders.ts'
import { claimProviderQuestion, wakeAttempt } from '../../storage/payments/attempts.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import {
  firstQuestionAt,
  forgetReturn,
  MIN_QUESTION_INTERVAL_MS,
  mayAskAtOnce,
  mayAskAtReturn,
} from '../question-schedule.ts'
import { isOpen, OVER_UNPAID } from '../status.ts'
import { askProvider } from './ask.ts'
import { type AttemptFacts, isOverAttempt } from './attempt.ts'
import { nameOf, runSharedQuestion, waitForResult } from './in-flight.ts'
import { reread } from './order.ts'
import { askAboutAttempt, askAboutPayment, type QuestionResult } from './question.ts'

/** Returns true for one visit in each interval. `isNow`: this visit asks in any case, and the interval for the others starts again. */
function claimVisit(ctx: Context, attempt: Attempt, isNow = false): Promise<boolean> {
  const now = ctx.clock.now()
  const unlessSince = isNow ? now : new Date(now.getTime() - MIN_QUESTION_INTERVAL_MS)
  return claimProviderQuestion(ctx.db, attempt, now, unlessSince)
}

const ANSWERS_REMEMBERED = 10_000
/** For each world: when this process last got a definite answer about an attempt, in milliseconds since the epoch. */
const answers = new WeakMap<Context['db'], Map<string, number>>()

function noteAnswer(ctx: Context, about: AttemptedPayment, result: QuestionResult): QuestionResult {
  const known = answers.get(ctx.db) ?? new Map<string, number>()
  answers.set(ctx.db, known)
  if (known.size >= ANSWERS_REMEMBERED) known.clear()
  if (result.isDefinite) known.set(nameOf(about), ctx.clock.now().getTime())
  return result
}

function isJustAnswered(ctx: Context, payment: AttemptedPayment): boolean {
  const at = answers.get(ctx.db)?.get(nameOf(payment)) ?? 0
  return ctx.clock.now().getTime() - at < MIN_QUESTION_INTERVAL_MS
}

/**
 * Like askAboutPayment, for callers that may come often. It asks only if the payment is open and the provider was not asked
 * about it in the last seconds. `lane`: `stranger` for visitors whom nobody knows.
 */
export async function askIfStale(
  ctx: Context,
  payment: AttemptedPayment,
  lane: GateLane = 'buyer',
): Promise<AttemptedPayment> {
  if (!isOpen(payment.status) || payment.status === 'created') return payment
  // A planned attempt has no order to ask about. At its expiry the payment ends.
  if (payment.attempt.state === 'planned') return askAboutPayment(ctx, payment)
  if (!(await claimVisit(ctx, payment.attempt))) return waitForOthers(ctx, payment)
  const result = noteAnswer(ctx, payment, await askAboutAttempt(ctx, payment, { lane }))
  return waitForOthers(ctx, result.payment, result)
}

/** A callback, another visit or the schedule may be asking now. Its result is worth a moment's wait. */
export function waitForOthers(
  ctx: Context,
  payment: AttemptedPayment,
  { isBeingTaken: isElsewhere = false }: Pick<QuestionResult, 'isBeingTaken'> = {},
): Promise<AttemptedPayment> | AttemptedPayment {
  const isDecided = ({ status, attempt }: AttemptedPayment) =>
    !isOpen(status) || attempt.underWaySince !== null
  if (isDecided(payment)) return payment
  const name = nameOf(payment)
  return waitForResult(ctx, payment, { name, reread: () => reread(ctx, payment), isDecided, isElsewhere })
}

/**
 * Like askAboutPayment, for the buyer's return. At the first return the questions of others do not count: a shop that looked the
 * payment up a second ago did so before the buyer had paid. Returns the payment as it is now.
 */
export async function askAtReturn(ctx: Context, payment: AttemptedPayment): Promise<AttemptedPayment> {
  if (!isOpen(payment.status) && !OVER_UNPAID.includes(payment.status)) return payment
  if (payment.attempt.state === 'planned') return askAboutPayment(ctx, payment)
  const isFirst = mayAskAtReturn(ctx, nameOf(payment))
  if (!(await claimVisit(ctx, payment.attempt, isFirst)) && !isFirst) return waitForOthers(ctx, payment)
  const lane = isFirst ? 'buyer' : 'stranger'
  const account = await findAccount(ctx, payment.attempt.accountId)
  const asking = { isBuyerBack: true, lane } as const
  const own = await runSharedQuestion(ctx, nameOf(payment), async () => {
    const answer = account?.driver.lookUp ? await askProvider(ctx, account, payment, asking) : undefined
    return noteAnswer(ctx, payment, await askAboutAttempt(ctx, payment, { answer, lane }))
  })
  const result = { payment: await waitForOthers(ctx, own.payment, own) }
  // The buyer was there, and may go back in another tab. Without this the next question could be the one at the expiry.
  if (isFirst && isOpen(result.payment.status))
    await wakeAttempt(ctx.db, payment.attempt, firstQuestionAt(ctx, ctx.clock.now()))
  return result.payment
}

const POLL_MS = 250
/** For each world: the questions of clicks that are being asked now. Clicks at once share one question. */
const running = new WeakMap<Context['db'], Map<string, Promise<QuestionResult>>>()

function askForClick(ctx: Context, payment: AttemptedPayment): Promise<QuestionResult> {
  const all = running.get(ctx.db) ?? new Map<string, Promise<QuestionResult>>()
  running.set(ctx.db, all)
  const name = nameOf(payment)
  const asking = claimVisit(ctx, payment.attempt, true)
    .then(() => askAboutAttempt(ctx, payment, { lane: 'stranger' }))
    .then((result) => noteAnswer(ctx, payment, result))
    .finally(() => all.delete(name))
  all.set(name, asking)
  return asking
}

/**
 * Asks about the last attempt before the buyer goes on: the buyer may have paid in another tab. The first clicks ask at once, and
 * all others share the question of all visits. A click that does not ask goes on to the order that is open. If the order has
 * finished, the click would open another order, so a definite answer of the last seconds is needed.
 */
export async function askBeforeOpening(ctx: Context, found: AttemptedPayment): Promise<QuestionResult> {
  if (found.attempt.state === 'planned') return askAboutAttempt(ctx, found)
  const deadline = performance.now() + MIN_QUESTION_INTERVAL_MS + POLL_MS
  const atOnce = running.get(ctx.db)?.get(nameOf(found))
  if (atOnce) return atOnce
  if (mayAskAtOnce(ctx, `click ${nameOf(found)}`)) return askForClick(ctx, found)
  for (let payment = found; ; ) {
    if (await claimVisit(ctx, payment.attempt)) return askForClick(ctx, payment)
    // The question that has just ended may have changed the payment.
    payment = await reread(ctx, payment)
    if (!isOverAttempt(payment.attempt.state) || isJustAnswered(ctx, payment))
      return { payment, isDefinite: true }
    if (performance.now() >= deadline) return { payment, isDefinite: false }
    await sleep(POLL_MS)
  }
}

/**
 * The buyer goes on to the open order. From then on nothing counts that was learned before: the buyer's next return asks at once,
 * and no page shows the decline of an earlier card.
 */
export async function forgetEarlierTry(ctx: Context, payment: AttemptedPayment): Promise<void> {
  forgetReturn(ctx, nameOf(payment))
  const { state, facts, underWaySince } = payment.attempt
  const { declineCategory } = (facts ?? {}) as AttemptFacts
  if (declineCategory === undefined) return
  await recordAttempt(ctx.db, payment, { from: state, state, facts: {}, underWaySince })
}
