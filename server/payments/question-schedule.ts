/** When the provider is next asked about a payment. The table has a row for each status. */
import { recallAccount } from '../accounts/choice.ts'
import type { Context } from '../context.ts'
import type { PaymentStatus } from '../contract/payment.ts'
import type { PaymentRecord } from '../storage/payments/payments.ts'
import { canExpire } from './status.ts'

/** The minimum time between two questions about one payment that look-ups cause. */
export const MIN_QUESTION_INTERVAL_MS = 3_000
const DAY_MS = 24 * 3_600_000
/** The short delays apply until this long after the payment has expired. */
const AFTER_EXPIRY_MS = 30 * 60_000

/**
 * `often`: the provider is asked by the delays of STATUS_SYNC_DELAYS until a little after the payment expires.
 * `days`: the provider is asked daily for this many days after the payment's last change.
 * A payment whose status has no row is not asked about. Callbacks and operations report what happens to it.
 */
const SCHEDULE: Partial<Record<PaymentStatus, { often?: true; days?: number }>> = {
  created: { often: true },
  pending_redirect: { often: true },
  pending_payment: { often: true },
  // Money may still arrive.
  failed: { often: true },
  cancelled: { often: true },
  expired: { often: true },
  // After 7 days an operator has to decide.
  status_unknown: { often: true, days: 7 },
  // A hold can lapse and a dispute can be decided without a callback that reaches us.
  authorized: { days: 35 },
  disputed: { days: 180 },
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

type ScheduledPayment = Pick<PaymentRecord, 'accountId' | 'status' | 'expiresAt' | 'updatedAt'>

/**
 * Returns when the provider is next asked about the payment; null when it is not asked any more.
 * `questions`: how many questions were asked since the payment's last status change.
 */
export function nextQuestionAt(
  ctx: Context,
  { accountId, status, expiresAt, updatedAt }: ScheduledPayment,
  questions: number,
): Date | null {
  // An account that cannot be used now may be usable again, so its payments stay in the schedule. A driver without lookUp can
  // never be asked.
  const account = recallAccount(ctx, accountId)
  if (account && !account.driver.lookUp) return null
  const { often, days = 0 } = SCHEDULE[status] ?? {}
  const now = ctx.clock.now().getTime()
  if (often && now <= expiresAt.getTime() + AFTER_EXPIRY_MS) {
    const next = now + questionDelayMs(ctx, questions)
    // A payment that can expire is always asked about at its expiry.
    const willExpire = canExpire(status) && now < expiresAt.getTime()
    return new Date(willExpire ? Math.min(next, expiresAt.getTime()) : next)
  }
  return now + DAY_MS <= updatedAt.getTime() + days * DAY_MS ? new Date(now + DAY_MS) : null
}
