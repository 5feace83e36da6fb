/** How old a charge is, and what follows from it. */
import type { Context } from '../../context.ts'
import type { SubscriptionChargeRecord } from '../../storage/payments/subscription-charges.ts'

/** A charge that the provider does not know so long after it was last sent has never reached the provider. */
const LOST_MS = 3_600_000
export const DAY_MS = 24 * 3_600_000
/** How often the provider is asked about a charge without an outcome, by the charge's age. */
const QUESTION_INTERVALS_MS = [
  { until: LOST_MS, every: 60_000 },
  // A provider that remembers a key for a day still gets the charge at its end, and is asked about it for an hour more.
  { until: DAY_MS + 2 * LOST_MS, every: 15 * 60_000 },
  { until: 7 * DAY_MS, every: 6 * 3_600_000 },
  { until: Number.POSITIVE_INFINITY, every: DAY_MS },
]

/** Whether a request that is still on its way would have arrived. */
export function isLongSinceSent(ctx: Context, { updatedAt }: SubscriptionChargeRecord): boolean {
  return ctx.clock.now().getTime() - updatedAt.getTime() >= LOST_MS
}

export function ageOf(ctx: Context, { sentAt, createdAt }: SubscriptionChargeRecord): number {
  return ctx.clock.now().getTime() - (sentAt ?? createdAt).getTime()
}

export const intervalOf = (ageMs: number) =>
  QUESTION_INTERVALS_MS.find(({ until }) => ageMs < until)?.every ?? 0
