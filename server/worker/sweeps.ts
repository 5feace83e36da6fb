/**
 * Work that becomes due by a column of a table, not by a job. Due rows are claimed with a lease, account by account. If a worker
 * dies, its rows become due again when their leases end, so nothing is lost.
 */
import type { Context } from '../context.ts'
import { askAgain, noteUnopenable } from '../operator/account-check.ts'
import { writeDueRows } from '../operator/finding/rows.ts'
import { notifyOwners } from '../orders/news.ts'
import { workOnDue } from '../orders/work.ts'
import { askDue, QUESTION_LEASE_MS } from '../payments/attempts/question.ts'
import { MONEY_OPERATIONS } from '../payments/operation.ts'
import { workOnRegister } from '../payments/receipts/printing.ts'
import { CHECK_LEASE_MS, endIfDone, workOnCheck } from '../payments/restored/check.ts'
import { askDueSavedMethod, TOKEN_LEASE_MS, workOnRevocation } from '../payments/saved-methods/question.ts'
import { workOnMoney } from '../payments/saved-methods/return.ts'
import { SUBSCRIPTION_LEASE_MS, workOnSubscription } from '../payments/subscriptions/work.ts'
import { takeInEarlier } from '../receivers/earlier.ts'
import { listDueAccountHealth } from '../storage/accounts/health.ts'
import { unlockDeadWorkers } from '../storage/jobs.ts'
import { claimDueAttempts, claimDueSettledAttempts } from '../storage/payments/attempts.ts'
import {
  claimDueOperations,
  DUE_ENDED_SAVINGS,
  DUE_QUESTIONS,
  DUE_SAVINGS,
  DUE_SETTLED_QUESTIONS,
  DUE_SUBSCRIPTIONS,
  listAccountsWithDueOperations,
} from '../storage/payments/due-accounts.ts'
import { listDueRegisters } from '../storage/payments/receipts.ts'
import { claimDueSubscriptions } from '../storage/payments/subscriptions.ts'
import { claimChecks, listAccountsWithChecks } from '../storage/restores/checks.ts'
import { claimDueEndedSavings, claimDueSavings } from '../storage/saved-methods/saved-methods.ts'
import { noticeAccounts } from './account-notices.ts'
import { noticeDesk } from './desk-notices.ts'
import { type LaneItem, type Lanes, workOnAll, workThrough } from './lanes.ts'

/** How many questions about settled payments a process asks at once for one account. */
const SETTLED_AT_ONCE = 4

type Claiming = { now: Date; leaseUntil: Date; limit: number }
type Claim<Row> = (ctx: Context, accountId: string, due: Claiming) => Promise<Row[]>

function lanesOf<Row extends LaneItem>(given: {
  list(ctx: Context, now: Date): Promise<string[]>
  leaseMs: number | ((ctx: Context) => number)
  claim: Claim<Row>
  work(ctx: Context, row: Row): Promise<void>
  atOnce?: number
}): Lanes {
  const leaseMs = (ctx: Context) => (typeof given.leaseMs === 'number' ? given.leaseMs : given.leaseMs(ctx))
  return {
    list: (ctx) => given.list(ctx, ctx.clock.now()),
    work: (ctx, accountId, stop) =>
      workThrough(
        ctx,
        (limit) => {
          const now = ctx.clock.now()
          return given.claim(ctx, accountId, {
            now,
            leaseUntil: new Date(now.getTime() + leaseMs(ctx)),
            limit,
          })
        },
        given.work,
        { stop, ...(given.atOnce !== undefined && { atOnce: given.atOnce }) },
      ),
  }
}

const MONEY = [...MONEY_OPERATIONS]

/** The kinds of work that wait for a provider or a cash register. */
export const LANES = {
  /**
   * Asks the providers about the attempts that are due and that buyers may be paying now. An order that is still to be opened, because its
   * process died or the answer was lost, is opened, so that each payment gets on even if nobody retries.
   */
  statusSync: lanesOf({
    list: ({ db }, now) => DUE_QUESTIONS.list(db, now),
    leaseMs: QUESTION_LEASE_MS,
    claim: ({ db }, accountId, due) => claimDueAttempts(db, accountId, due),
    work: (ctx, row) => askDue(ctx, row),
  }),

  /** Asks about savings of cards that have ended, whose money may come late. They are few, so they take from the shared budget first. */
  endedSavings: lanesOf({
    list: ({ db }, now) => DUE_ENDED_SAVINGS.list(db, now),
    leaseMs: TOKEN_LEASE_MS,
    claim: ({ db, config }, accountId, due) =>
      claimDueEndedSavings(db, accountId, { ...due, perHour: config.settledQuestionsPerHour }),
    work: askDueSavedMethod,
    atOnce: SETTLED_AT_ONCE,
  }),

  /** Asks about payments whose money has moved, and orders that are over, in a lane of their own, so that no other question waits for them. */
  settledSync: lanesOf({
    list: ({ db }, now) => DUE_SETTLED_QUESTIONS.list(db, now),
    leaseMs: QUESTION_LEASE_MS,
    claim: ({ db, config }, accountId, due) =>
      claimDueSettledAttempts(db, accountId, { ...due, perHour: config.settledQuestionsPerHour }),
    work: (ctx, row) => askDue(ctx, row),
    atOnce: SETTLED_AT_ONCE,
  }),

  /** Carries out refunds, captures and voids, also of the money by which a method was saved. */
  moneyOperations: lanesOf({
    list: ({ db }, now) => listAccountsWithDueOperations(db, now, MONEY),
    leaseMs: ({ config }) => config.operationLeaseSeconds * 1000,
    claim: ({ db }, accountId, due) => claimDueOperations(db, accountId, { ...due, types: MONEY }),
    work: workOnMoney,
  }),

  /** Asks the providers what became of cards that were to be saved. */
  cardSavings: lanesOf({
    list: ({ db }, now) => DUE_SAVINGS.list(db, now),
    leaseMs: TOKEN_LEASE_MS,
    claim: ({ db }, accountId, due) => claimDueSavings(db, accountId, due),
    work: askDueSavedMethod,
  }),

  /** Tells the providers of saved cards that were given up. */
  cardRevocations: lanesOf({
    list: ({ db }, now) => listAccountsWithDueOperations(db, now, ['token_revoke']),
    leaseMs: TOKEN_LEASE_MS,
    claim: ({ db }, accountId, due) => claimDueOperations(db, accountId, { ...due, types: ['token_revoke'] }),
    work: workOnRevocation,
  }),

  /** Asks the providers what has happened since the backup that was restored. */
  restoreChecks: lanesOf({
    list: ({ db }, now) => listAccountsWithChecks(db, now),
    leaseMs: CHECK_LEASE_MS,
    claim: ({ db }, accountId, due) => claimChecks(db, accountId, due),
    work: workOnCheck,
  }),

  /** Charges the subscriptions' periods. */
  renewals: lanesOf({
    list: ({ db }, now) => DUE_SUBSCRIPTIONS.list(db, now),
    leaseMs: SUBSCRIPTION_LEASE_MS,
    claim: ({ db }, accountId, due) => claimDueSubscriptions(db, accountId, due),
    work: workOnSubscription,
  }),

  /** Asks the providers of accounts that are not well whether they are now. */
  accountHealth: {
    list: ({ db, clock }) => listDueAccountHealth(db, clock.now()),
    work: askAgain,
  },

  /** Prints fiscal receipts, each register's one after the other. */
  fiscalReceipts: {
    list: ({ db, clock }) => listDueRegisters(db, clock.now()),
    work: workOnRegister,
  },
} satisfies Record<string, Lanes>

/** Work that waits for no provider and no cash register. */
export const CHORES = {
  /** Does what the simulated bank does by itself, such as its callbacks. */
  async bankCallbacks(ctx: Context, stop?: AbortSignal): Promise<number> {
    if (!ctx.sandbox) return 0
    return ctx.sandbox.bank.work(ctx.clock.now(), (piece) =>
      ctx.share.run(piece, () => stop?.aborted ?? false),
    )
  },

  /** Notices accounts whose stored credentials cannot be read. */
  accountKeys: (ctx: Context) => noteUnopenable(ctx),

  /** Tells the operator of accounts whose health has changed. */
  accountNotices: (ctx: Context) => noticeAccounts(ctx),

  /** Tells the operator of new cases that wait for a person. */
  deskNotices: (ctx: Context) => noticeDesk(ctx),

  /** Decides orders whose event was stored by a process that did not come to decide them. */
  orders: (ctx: Context) => workOnDue(ctx),

  /** Gives the order book the sales of before it was chosen. */
  earlierSales: (ctx: Context) => takeInEarlier(ctx),

  /** Makes the mails to owners about their orders. */
  orderNews: (ctx: Context) => notifyOwners(ctx),

  /** Writes the rows by which people find payments. */
  searchRows: (ctx: Context, stop?: AbortSignal) => writeDueRows(ctx, stop),

  /** Ends a restore about which nothing is left to ask. */
  restoreEnd: (ctx: Context) => endIfDone(ctx),

  /** Frees the jobs that dead workers held. */
  async deadWorkers(ctx: Context): Promise<void> {
    await unlockDeadWorkers(ctx.db, ctx.config.deliveryLeaseSeconds)
  },
} satisfies Record<string, (ctx: Context, stop?: AbortSignal) => Promise<unknown>>

type SweepName = keyof typeof LANES | keyof typeof CHORES

const WHOLE = Object.fromEntries(
  Object.entries<Lanes>(LANES).map(([name, lanes]) => [name, (ctx: Context) => workOnAll(ctx, lanes)]),
) as Record<keyof typeof LANES, (ctx: Context) => Promise<number>>

/** Does all the due work of one kind, and waits for it. The sandbox's clock uses this; the worker does not wait for lanes. */
export const SWEEPS = { ...WHOLE, ...CHORES } satisfies Record<SweepName, (ctx: Context) => Promise<unknown>>
