/** What the forms of a payment's acts are about: the payment as it is, and what the person's own limits leave of it. */
import type { Context } from '../../context.ts'
import { limitIn } from '../../merchants/token-limits.ts'
import { returnerBy } from '../../operator/approvals/stake.ts'
import { ownIn } from '../../operator/approvals/weigh.ts'
import type { Timeline } from '../../operator/payment-timeline.ts'
import { isReturnedByHand } from '../../payments/decisions/returned.ts'
import { readBounds, returnedOf } from '../../payments/return-limits.ts'
import type { OwnVisit } from '../page.ts'
import type { ActFacts, OwnLimitsLeft } from './acts.ts'

/** The payment's version and the number of its operations. A form that saw other numbers is about an earlier state. */
export const stateOf = ({ payment, operations }: ActFacts): string =>
  `${payment.version}.${operations.length}`

export async function factsOf(ctx: Context, user: OwnVisit['user'], timeline: Timeline): Promise<ActFacts> {
  const isByHand = await isReturnedByHand(ctx, timeline.payment)
  return { ...timeline, isByHand, left: await leftOf(ctx, user, timeline) }
}

/** Returns what the person's own limits leave of this payment. What others gave back of it counts too. */
async function leftOf(
  ctx: Context,
  { id, refundLimits, refundLimitsDay }: OwnVisit['user'],
  { payment, entries }: Timeline,
): Promise<OwnLimitsLeft> {
  if (refundLimits === null && refundLimitsDay === null) return { once: null, by_day: null }
  const beforeMinor = returnedOf(payment, entries)
  const once = limitIn(refundLimits, payment.currency)
  const bounds = await readBounds(ctx, returnerBy({ id, isApproved: false }), { ...payment, beforeMinor })
  return {
    once: once === null ? null : Math.max(0, once - beforeMinor),
    by_day: ownIn(bounds)?.restMinor ?? null,
  }
}
