/**
 * Everything that becomes due, and when: one row for each sweep and one for events. The sandbox's clock moves from one due time
 * to the next.
 */
import type { Context } from '../context.ts'
import { MONEY_OPERATIONS } from '../payments/operation.ts'
import { findNextDueEvent, listMerchantsWithDueEvents } from '../storage/events/due-events.ts'
import {
  DUE_ENDED_SAVINGS,
  DUE_QUESTIONS,
  DUE_SAVINGS,
  DUE_SETTLED_QUESTIONS,
  DUE_SUBSCRIPTIONS,
  findNextDueOperation,
} from '../storage/payments/due-accounts.ts'
import { findNextDueReceipt } from '../storage/payments/receipts.ts'
import { findNextCheck } from '../storage/restores/checks.ts'
import { startDeliveries } from './deliveries.ts'
import { dropOldEvents } from './retention.ts'
import { SWEEPS } from './sweeps.ts'

/**
 * `nextDueAt`: the earliest time with work, which may be in the past; null if there is none. Without it the work is done when
 * the clock has arrived. `work`: one run. It returns how many rows it worked on, if that is known.
 */
export type FallsDue = {
  nextDueAt?: (ctx: Context) => Promise<Date | null>
  work: (ctx: Context) => Promise<unknown>
  /** The work calls this service's own addresses, so the processes that respond must know the new time first. */
  asksService?: true
}

export const FALLS_DUE = {
  statusSync: { work: SWEEPS.statusSync, nextDueAt: ({ db }) => DUE_QUESTIONS.next(db) },
  settledSync: { work: SWEEPS.settledSync, nextDueAt: ({ db }) => DUE_SETTLED_QUESTIONS.next(db) },
  moneyOperations: {
    work: SWEEPS.moneyOperations,
    nextDueAt: ({ db }) => findNextDueOperation(db, [...MONEY_OPERATIONS]),
  },
  cardSavings: { work: SWEEPS.cardSavings, nextDueAt: ({ db }) => DUE_SAVINGS.next(db) },
  endedSavings: { work: SWEEPS.endedSavings, nextDueAt: ({ db }) => DUE_ENDED_SAVINGS.next(db) },
  cardRevocations: {
    work: SWEEPS.cardRevocations,
    nextDueAt: ({ db }) => findNextDueOperation(db, ['token_revoke']),
  },
  restoreChecks: { work: SWEEPS.restoreChecks, nextDueAt: ({ db }) => findNextCheck(db) },
  restoreEnd: { work: SWEEPS.restoreEnd },
  renewals: { work: SWEEPS.renewals, nextDueAt: ({ db }) => DUE_SUBSCRIPTIONS.next(db) },
  bankCallbacks: {
    work: SWEEPS.bankCallbacks,
    nextDueAt: async ({ sandbox }) => sandbox?.bank.nextDueAt() ?? null,
    asksService: true,
  },
  // An account that is not well is asked every few minutes. A clock that stopped at each of them would need hours for a month.
  accountHealth: { work: SWEEPS.accountHealth },
  accountKeys: { work: SWEEPS.accountKeys },
  accountNotices: { work: SWEEPS.accountNotices },
  // Orders are decided when their event is delivered. This is only for those that a dead process has left.
  orders: { work: SWEEPS.orders },
  earlierSales: { work: SWEEPS.earlierSales },
  orderNews: { work: SWEEPS.orderNews },
  deskNotices: { work: SWEEPS.deskNotices },
  // Rows follow their payments, and no time of theirs has to be reached.
  searchRows: { work: SWEEPS.searchRows },
  fiscalReceipts: { work: SWEEPS.fiscalReceipts, nextDueAt: ({ db }) => findNextDueReceipt(db) },
  // Uses the database's clock, which nobody moves.
  deadWorkers: { work: SWEEPS.deadWorkers },
  deliveries: { work: deliverDue, nextDueAt: eventDueAt },
  oldEvents: { work: dropOldEvents },
} satisfies Record<keyof typeof SWEEPS | 'deliveries' | 'oldEvents', FallsDue>

async function eventDueAt(ctx: Context): Promise<Date | null> {
  const now = ctx.clock.now()
  const waiting = await listMerchantsWithDueEvents(ctx.db, now)
  return waiting.length > 0 ? now : findNextDueEvent(ctx.db, now)
}

/** Sends some of the due events, and waits for the responses. */
async function deliverDue(ctx: Context): Promise<void> {
  const deliveries = startDeliveries(ctx)
  await deliveries.sweep()
  await deliveries.stop()
}
