/** Subscriptions for an operator: one page of subscriptions, and one subscription with every attempt to charge it. */
import { refusalOf } from '../accounts/capability-state.ts'
import { findAccount } from '../accounts/choice.ts'
import type { Context } from '../context.ts'
import type { Subscription, SubscriptionStatus } from '../contract/subscription.ts'
import { AppError } from '../errors.ts'
import { viewSubscription } from '../payments/subscriptions/subscription.ts'
import { findPayment } from '../storage/payments/payments.ts'
import {
  listSubscriptionCharges,
  type SubscriptionChargeRecord,
} from '../storage/payments/subscription-charges.ts'
import { findSubscriptionById, type SubscriptionRecord } from '../storage/payments/subscriptions.ts'
import { listSubscriptions } from '../storage/search/subscriptions.ts'

export type { SubscriptionRecord }

/** An attempt with the status of its payment. */
export type ChargeLine = SubscriptionChargeRecord & { paymentStatus: string | null }

export type SubscriptionHistory = {
  record: SubscriptionRecord
  view: Subscription
  /** The oldest first. */
  charges: ChargeLine[]
  /** Why nothing is charged at present, although the subscription runs. */
  waitsFor: string | null
}

/**
 * `merchantId`: only a subscription of this merchant is found. `chargesMax`: only the last charges are read; absent: all.
 * @throws AppError subscription_not_found
 */
export async function getSubscriptionHistory(
  ctx: Context,
  id: string,
  { merchantId, chargesMax }: { merchantId?: string; chargesMax?: number } = {},
): Promise<SubscriptionHistory> {
  const record = await getSubscription(ctx, id, merchantId)
  const at = { merchantId: record.merchantId, subscriptionId: id }
  const charges = await Promise.all(
    (await listSubscriptionCharges(ctx.db, at, chargesMax)).map(async (charge) => {
      const payment = await findPayment(ctx.db, charge.merchantId, charge.paymentId)
      return { ...charge, paymentStatus: payment?.status ?? null }
    }),
  )
  const isOver = record.status === 'cancelled'
  const waitsFor = isOver ? null : refusalOf(ctx, await findAccount(ctx, record.accountId), 'subscriptions')
  return { record, view: await viewSubscription(ctx, record), charges, waitsFor }
}

type Filter = {
  merchantId?: string | undefined
  status?: SubscriptionStatus | undefined
  after?: string | undefined
  limit: number
}

/**
 * Newest first. `after`: the last id of the previous page. `next`: the `after` of the next page; null on the last page.
 * @throws AppError subscription_not_found for an `after` that is unknown, or of another merchant
 */
export async function listSubscriptionPage(
  ctx: Context,
  { limit, ...filter }: Filter,
): Promise<{ subscriptions: SubscriptionRecord[]; next: string | null }> {
  if (filter.after !== undefined) await getSubscription(ctx, filter.after, filter.merchantId)
  // One extra subscription tells whether another page follows.
  const { subscriptions: found, lookedTo } = await listSubscriptions(ctx.db, { ...filter, limit: limit + 1 })
  const subscriptions = found.slice(0, limit)
  return { subscriptions, next: found.length > limit ? (subscriptions.at(-1)?.id ?? null) : lookedTo }
}

async function getSubscription(
  ctx: Context,
  id: string,
  merchantId: string | undefined,
): Promise<SubscriptionRecord> {
  const subscription = await findSubscriptionById(ctx.db, id)
  if (subscription && (merchantId === undefined || subscription.merchantId === merchantId))
    return subscription
  throw new AppError('subscription_not_found', {
    message: `There is no subscription ${id}.`,
    next: [{ act: 'list_subscriptions' }],
  })
}
