/** When the provider of a payment is next asked what became of it: a line for each status. */
import type { Context } from '../context.ts'
import type { PaymentStatus } from '../contract/payment.ts'
import type { PaymentRecord } from '../storage/payments/payments.ts'
import { canExpire } from './status.ts'

/** A look-up asks the provider at most this often for one payment. */
export const ASKED_LATELY_MS = 3_000
const DAY_MS = 24 * 3_600_000
/** How long after its expiry a payment is still asked about by the short delays. */
const AFTER_EXPIRY_MS = 30 * 60_000

/**
 * By STATUS_SYNC_DELAYS until a little after the expiry (`often`), and daily for so many days after the last change.
 * A status without a line is not asked about: what happens to it is told by callbacks and by operations.
 */
const SCHEDULE: Partial<Record<PaymentStatus, { often?: true; days?: number }>> = {
  created: { often: true },
  pending_redirect: { often: true },
  pending_payment: { often: true },
  // Money may still arrive.
  failed: { often: true },
  cancelled: { often: true },
  expired: { often: true },
  // After that it is an operator's.
  status_unknown: { often: true, days: 7 },
  // A hold lapses, and a dispute is decided, whether or not the provider's callback reaches us.
  authorized: { days: 35 },
  disputed: { days: 180 },
}

/** When a new payment, or a card that is to be saved, is first asked about. */
export function firstQuestionAt(ctx: Context, createdAt: Date): Date {
  return new Date(createdAt.getTime() + questionDelayMs(ctx, 0))
}

/** The wait after `attempts` questions; the last one repeats. */
export function questionDelayMs({ config }: Context, attempts: number): number {
  const delays = config.statusSyncDelaysSeconds
  return (delays[Math.min(attempts, delays.length - 1)] ?? 900) * 1000
}

type Asked = Pick<PaymentRecord, 'provider' | 'status' | 'expiresAt' | 'updatedAt'>

/** When it is next asked about, after `attempts` questions since it has its status; null when it is not. */
export function nextQuestionAt(
  ctx: Context,
  { provider, status, expiresAt, updatedAt }: Asked,
  attempts: number,
): Date | null {
  // A route that is not ready may be again; one whose provider cannot be asked never is.
  const { driver } = ctx.routes[provider]
  if (driver && !driver.lookUp) return null
  const { often, days = 0 } = SCHEDULE[status] ?? {}
  const now = ctx.clock.now().getTime()
  if (often && now <= expiresAt.getTime() + AFTER_EXPIRY_MS) {
    const next = now + questionDelayMs(ctx, attempts)
    // What ends with its time is asked about just then.
    const ends = canExpire(status) && now < expiresAt.getTime()
    return new Date(ends ? Math.min(next, expiresAt.getTime()) : next)
  }
  return now + DAY_MS <= updatedAt.getTime() + days * DAY_MS ? new Date(now + DAY_MS) : null
}
