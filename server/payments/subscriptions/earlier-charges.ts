/** Charges that were sent: how old one is, what follows from that, and whether all of them are decided before the next one is sent. */
import type { Context } from '../../context.ts'
import type { Account } from '../../providers/registry.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { listPaymentChanges } from '../../storage/payments/payment-changes.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import {
  listChargesSincePaid,
  type SubscriptionChargeRecord,
} from '../../storage/payments/subscription-charges.ts'
import type { SubscriptionRecord } from '../../storage/payments/subscriptions.ts'
import { askProvider } from '../attempts/ask.ts'
import { askAboutPayment } from '../attempts/question.ts'
import { statusOf } from '../derived-status.ts'
import { isOpen, OVER_UNPAID } from '../status.ts'

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

/** Whether enough time has passed that a request which was sent late would have arrived. */
export function isLongSinceSent(ctx: Context, { updatedAt }: SubscriptionChargeRecord): boolean {
  return ctx.clock.now().getTime() - updatedAt.getTime() >= LOST_MS
}

export function ageOf(ctx: Context, { sentAt, createdAt }: SubscriptionChargeRecord): number {
  return ctx.clock.now().getTime() - (sentAt ?? createdAt).getTime()
}

export const intervalOf = (ageMs: number) =>
  QUESTION_INTERVALS_MS.find(({ until }) => ageMs < until)?.every ?? 0

/**
 * Before a charge is sent, the provider must confirm that each charge since the last paid period failed or got lost. Where the
 * provider cannot say so, the decision of a person counts. Returns the first charge that nobody confirms as failed; null when all are
 * confirmed.
 */
export async function findUndecided(
  ctx: Context,
  account: Account,
  { merchantId, id: subscriptionId }: SubscriptionRecord,
): Promise<SubscriptionChargeRecord | null> {
  const charges = await listChargesSincePaid(ctx.db, { merchantId, subscriptionId })
  for (const earlier of charges) {
    if (!['failed', 'lost'].includes(earlier.state) || !earlier.sentAt) continue
    const payment = await getPayment(ctx, earlier)
    const answer = await askProvider(ctx, account, payment, { lane: 'money' })
    if (answer.kind === 'unavailable' && !(await isDecidedByPerson(ctx, payment))) return earlier
    if (answer.kind === 'found' && isOpen(statusOf(answer.snapshot))) return earlier
    if (!OVER_UNPAID.includes((await askAboutPayment(ctx, payment, answer)).status)) return earlier
  }
  return null
}

/** Whether the payment ended by a person's decision. A provider that never knew the order can never confirm it. */
async function isDecidedByPerson(ctx: Context, { merchantId, id, status }: Payment): Promise<boolean> {
  if (!OVER_UNPAID.includes(status)) return false
  return (await listPaymentChanges(ctx.db, merchantId, id)).at(-1)?.cause === 'operator'
}

export async function getPayment(
  ctx: Context,
  { merchantId, paymentId }: Pick<SubscriptionChargeRecord, 'merchantId' | 'paymentId'>,
): Promise<AttemptedPayment> {
  const payment = await findPayment(ctx.db, merchantId, paymentId)
  if (!payment) throw new Error(`Bug! The payment ${paymentId} of a subscription's charge does not exist.`)
  return payment
}
