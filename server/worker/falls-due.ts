/** What falls due, and when next: one line for each sweep, and one for the events. The sandbox's clock goes from one to the next. */
import type { Context } from '../context.ts'
import { MONEY_OPERATIONS } from '../payments/operation.ts'
import { findNextDueEvent, listMerchantsWithDueEvents } from '../storage/events/due-events.ts'
import { findNextIdempotencyLease } from '../storage/payments/idempotency-keys.ts'
import { findNextDueOperation } from '../storage/payments/operations.ts'
import { findNextPaymentQuestion } from '../storage/payments/payments.ts'
import { findNextDueReceipt } from '../storage/payments/receipts.ts'
import { nextSavedMethodDueAt } from '../storage/payments/saved-methods.ts'
import { nextSubscriptionDueAt } from '../storage/payments/subscriptions.ts'
import { startDeliveries } from './deliveries.ts'
import { dropOldEvents } from './retention.ts'
import { KEYS_PATIENCE_MS, SWEEPS } from './sweeps.ts'

/**
 * `nextDueAt`: the earliest moment for which there is work, which may have passed; null when there is none. Without it the
 * work is done once the clock has arrived. `work`: one turn; answers how many rows it took up, where that can be said.
 */
export type FallsDue = {
  nextDueAt?: (ctx: Context) => Promise<Date | null>
  work: (ctx: Context) => Promise<unknown>
  /** It calls the service's own addresses: the processes that answer have to have seen the new time. */
  asksService?: true
}

export const FALLS_DUE = {
  statusSync: { work: SWEEPS.statusSync, nextDueAt: ({ db }) => findNextPaymentQuestion(db) },
  abandonedKeys: { work: SWEEPS.abandonedKeys, nextDueAt: abandonedKeyDueAt },
  moneyOperations: {
    work: SWEEPS.moneyOperations,
    nextDueAt: ({ db }) => findNextDueOperation(db, [...MONEY_OPERATIONS]),
  },
  cardSavings: { work: SWEEPS.cardSavings, nextDueAt: ({ db }) => nextSavedMethodDueAt(db) },
  cardRevocations: {
    work: SWEEPS.cardRevocations,
    nextDueAt: ({ db }) => findNextDueOperation(db, ['token_revoke']),
  },
  renewals: { work: SWEEPS.renewals, nextDueAt: ({ db }) => nextSubscriptionDueAt(db) },
  bankCallbacks: { work: SWEEPS.bankCallbacks, nextDueAt: ({ bank }) => bank.nextDueAt(), asksService: true },
  fiscalReceipts: { work: SWEEPS.fiscalReceipts, nextDueAt: ({ db }) => findNextDueReceipt(db) },
  // Goes by the database's clock, which nobody moves.
  deadWorkers: { work: SWEEPS.deadWorkers },
  deliveries: { work: deliverDue, nextDueAt: eventDueAt },
  oldEvents: { work: dropOldEvents },
} satisfies Record<keyof typeof SWEEPS | 'deliveries' | 'oldEvents', FallsDue>

async function abandonedKeyDueAt({ db }: Context): Promise<Date | null> {
  const leaseUntil = await findNextIdempotencyLease(db)
  return leaseUntil && new Date(leaseUntil.getTime() + KEYS_PATIENCE_MS)
}

async function eventDueAt(ctx: Context): Promise<Date | null> {
  const now = ctx.clock.now()
  const waiting = await listMerchantsWithDueEvents(ctx.db, now)
  return waiting.length > 0 ? now : findNextDueEvent(ctx.db, now)
}

/** Sends some of what is due, and waits for the answers. */
async function deliverDue(ctx: Context): Promise<void> {
  const deliveries = startDeliveries(ctx)
  await deliveries.sweep()
  await deliveries.stop()
}
