/**
 * After a restore: finds the charges that were made since the backup. Their references follow from the subscription, the period and the
 * try, so the provider can be asked for them. A charge that is found is stored as one that was sent, and then settled as always.
 */
import { findAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import type { Account } from '../../providers/registry.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import {
  findOpenSubscriptionCharge,
  listPeriodCharges,
  type SubscriptionChargeRecord,
} from '../../storage/payments/subscription-charges.ts'
import { findSubscription, type SubscriptionRecord } from '../../storage/payments/subscriptions.ts'
import type { CheckRecord } from '../../storage/restores/checks.ts'
import { periodAt } from '../subscriptions/calendar.ts'
import { beginCharge, nameOfCharge } from '../subscriptions/charge.ts'
import { markSent } from '../subscriptions/sending.ts'
import { isChargeFindable } from '../subscriptions/unseen-charge.ts'
import { workOnSubscription } from '../subscriptions/work.ts'
import { lookUpLost } from './lost-order.ts'

/**
 * `done`: the provider has said how everything stands. `never`: it cannot be asked, so a person compares. `later`: it did not answer.
 */
export type Checked = { kind: 'done' } | { kind: 'never' | 'later'; problem: string }
export const DONE: Checked = { kind: 'done' }

export const MISSING_FROM_BACKUP =
  'this provider tells the results of refunds and captures only once, in callbacks, and those since the backup are lost: compare with its records'

export const NEVER_FOUND: Checked = {
  kind: 'never',
  problem:
    "this provider finds an order only by its own id or its number, and those given out since the backup are lost: compare with the provider's records",
}

/** More charges than this are not looked for in one run. */
const CHARGES_MAX = 20
/** A backup is not older than this many periods. The shortest period is a day. */
const PERIODS_MAX = 31

/** Looks for the charges of one subscription. */
export async function findLostCharges(ctx: Context, { merchantId, id }: CheckRecord): Promise<Checked> {
  for (let charges = 0; charges < CHARGES_MAX; charges++) {
    const subscription = await findSubscription(ctx.db, merchantId, id)
    if (!subscription || subscription.status === 'cancelled') return DONE
    const account = await findAccount(ctx, subscription.accountId)
    if (!account)
      return { kind: 'later', problem: `the provider account ${subscription.accountId} cannot be used now` }
    // Its charges of the lost hours are left to a person: `subscriptions/unseen-charge.ts`.
    if (!isChargeFindable(account)) return NEVER_FOUND
    const found = await findNextCharge(ctx, account, subscription)
    if (found.kind !== 'found') return found
    await workOnSubscription(ctx, subscription)
  }
  return { kind: 'later', problem: 'many charges were made since the backup' }
}

type Found = { kind: 'found' } | Checked

async function findNextCharge(
  ctx: Context,
  account: Account,
  subscription: SubscriptionRecord,
): Promise<Found> {
  const { merchantId, id: subscriptionId, nextChargeAt } = subscription
  const open = await findOpenSubscriptionCharge(ctx.db, { merchantId, subscriptionId })
  if (open?.sentAt) return settleOpen(ctx, subscription)
  if (open) return findUnsent(ctx, account, open)
  if (!nextChargeAt || nextChargeAt > ctx.clock.now()) return DONE
  for (const at of await listCandidates(ctx, subscription)) {
    const reference = await nameOfCharge(ctx, ctx.db, subscription, at)
    const answer = await lookUpLost(ctx, account, { reference })
    if (answer.kind === 'unavailable') return { kind: 'later', problem: answer.message }
    if (answer.kind === 'not_found') continue
    const charge = await beginCharge(ctx, account, subscription, at)
    if (!charge || !(await markSent(ctx, account, charge)))
      return { kind: 'later', problem: 'the subscription changed while the provider was asked' }
    return { kind: 'found' }
  }
  return DONE
}

/** The charge was sent before the backup. Its payment has a check of its own. */
async function settleOpen(ctx: Context, subscription: SubscriptionRecord): Promise<Checked> {
  await workOnSubscription(ctx, subscription)
  const { merchantId, id: subscriptionId } = subscription
  const open = await findOpenSubscriptionCharge(ctx.db, { merchantId, subscriptionId })
  return open ? { kind: 'later', problem: 'the outcome of a charge is not known yet' } : DONE
}

/** The charge was stored before the backup, and may have been sent after it. */
async function findUnsent(ctx: Context, account: Account, open: SubscriptionChargeRecord): Promise<Found> {
  const payment = await findPayment(ctx.db, open.merchantId, open.paymentId)
  if (!payment) return DONE
  const answer = await lookUpLost(ctx, account, { reference: payment.attempt.reference })
  if (answer.kind === 'unavailable') return { kind: 'later', problem: answer.message }
  if (answer.kind === 'not_found') return DONE
  await markSent(ctx, account, open)
  return { kind: 'found' }
}

/** Returns the charges that may have been made: each try of each period from the current one to the one that runs now. */
async function listCandidates(
  ctx: Context,
  subscription: SubscriptionRecord,
): Promise<Pick<SubscriptionChargeRecord, 'period' | 'attempt'>[]> {
  const { merchantId, id: subscriptionId, period, anchorAt, interval } = subscription
  const charges = await listPeriodCharges(ctx.db, { merchantId, subscriptionId }, period)
  const isPaid = charges.some(({ state }) => state === 'paid')
  const first = isPaid ? period + 1 : period
  const last = Math.max(first, periodAt(anchorAt, interval, ctx.clock.now()))
  const tries = ctx.config.dunningDelaysSeconds.length + 2
  return Array.from({ length: Math.min(PERIODS_MAX, last - first + 1) }, (_, index) => first + index).flatMap(
    (each) => {
      const known = each === period ? charges.length : 0
      return Array.from({ length: tries }, (_, attempt) => ({ period: each, attempt: known + attempt + 1 }))
    },
  )
}
