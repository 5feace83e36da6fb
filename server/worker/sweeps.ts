/**
 * What falls due by a column of our own instead of a job: at each turn the rows that are due are claimed under a lease.
 * A row that its worker never finished falls due again, so nothing is lost with a process.
 */
import type { Context } from '../context.ts'
import { startPayment } from '../payments/creation/start.ts'
import { MONEY_OPERATIONS } from '../payments/operation.ts'
import { WORK_LEASE_MS, workOnOperation } from '../payments/operations/work.ts'
import { askDue, QUESTION_LEASE_MS } from '../payments/question.ts'
import { workOnRegister } from '../payments/receipts/printing.ts'
import { askDueSavedMethod, TOKEN_LEASE_MS, workOnRevocation } from '../payments/saved-methods/question.ts'
import { SUBSCRIPTION_LEASE_MS, workOnSubscription } from '../payments/subscriptions/work.ts'
import { unlockDeadWorkers } from '../storage/jobs.ts'
import {
  claimAbandonedIdempotencyKeys,
  type IdempotencyKeyRecord,
} from '../storage/payments/idempotency-keys.ts'
import { claimDueOperations } from '../storage/payments/operations.ts'
import { claimDuePayments, findPayment, type PaymentRecord } from '../storage/payments/payments.ts'
import { listDueRegisters } from '../storage/payments/receipts.ts'
import { claimDueSavedMethods } from '../storage/payments/saved-methods.ts'
import { claimDueSubscriptions } from '../storage/payments/subscriptions.ts'

const QUESTION_BATCH = 50
const KEYS_BATCH = 20
const BATCH = 20
/** A turn goes on while it makes further rows due: operations on one payment follow each other. */
const ROUNDS_MAX = 100
/** A caller whose provider did not answer gets this long to retry before the key is finished without it. */
export const KEYS_PATIENCE_MS = 3_000

/** One turn of each kind. Answers how many rows it took up, where that can be said. `falls-due.ts` says when each has work next. */
export const SWEEPS = {
  /** Asks the providers of the payments that are due. */
  async statusSync(ctx: Context): Promise<number> {
    const now = ctx.clock.now()
    const due = await claimDuePayments(
      ctx.db,
      now,
      new Date(now.getTime() + QUESTION_LEASE_MS),
      QUESTION_BATCH,
    )
    await Promise.all(due.map((payment) => turn(ctx, payment, askDue)))
    return due.length
  },

  /** Finishes creations whose process died, so that each key has a final answer even if nobody retries. */
  async abandonedKeys(ctx: Context): Promise<number> {
    const now = ctx.clock.now()
    const until = new Date(now.getTime() + ctx.config.idempotencyLeaseSeconds * 1000)
    const since = new Date(now.getTime() - KEYS_PATIENCE_MS)
    const keys = await claimAbandonedIdempotencyKeys(ctx.db, since, until, KEYS_BATCH)
    for (const key of keys) {
      const payment = await findPayment(ctx.db, key.merchantId, key.paymentId)
      if (payment) await finishAbandoned(ctx, key, payment)
    }
    return keys.length
  },

  /** Carries out refunds, captures and voids. */
  moneyOperations: (ctx: Context) =>
    takeUp(ctx, {
      leaseMs: WORK_LEASE_MS,
      claim: (db, due) => claimDueOperations(db, { ...due, types: [...MONEY_OPERATIONS] }),
      work: workOnOperation,
    }),

  /** Asks the providers what became of cards that were to be saved. */
  cardSavings: (ctx: Context) =>
    takeUp(ctx, {
      leaseMs: TOKEN_LEASE_MS,
      claim: claimDueSavedMethods,
      work: askDueSavedMethod,
    }),

  /** Tells the providers of saved cards that were given up. */
  cardRevocations: (ctx: Context) =>
    takeUp(ctx, {
      leaseMs: TOKEN_LEASE_MS,
      claim: (db, due) => claimDueOperations(db, { ...due, types: ['token_revoke'] }),
      work: workOnRevocation,
    }),

  /** Charges the subscriptions' periods. */
  renewals: (ctx: Context) =>
    takeUp(ctx, {
      leaseMs: SUBSCRIPTION_LEASE_MS,
      claim: claimDueSubscriptions,
      work: workOnSubscription,
    }),

  /** Lets the simulated bank do what it does by itself. */
  async bankCallbacks(ctx: Context): Promise<number> {
    return ctx.world === 'sandbox' ? ctx.bank.work(ctx.clock.now()) : 0
  },

  /** Prints fiscal receipts, each register's one after the other. */
  async fiscalReceipts(ctx: Context): Promise<number> {
    const registers = await listDueRegisters(ctx.db, ctx.clock.now())
    const taken = await Promise.all(registers.map((register) => workOnRegister(ctx, register)))
    return taken.reduce((sum, count) => sum + count, 0)
  },

  /** Frees the jobs that dead workers held. */
  async deadWorkers(ctx: Context): Promise<void> {
    await unlockDeadWorkers(ctx.db, ctx.config.deliveryLeaseSeconds)
  },
} satisfies Record<string, (ctx: Context) => Promise<unknown>>

type Named = { merchantId: string; id: string }
type Work<Row extends Named> = (ctx: Context, row: Row) => Promise<void>
type TakingUp<Row extends Named> = {
  leaseMs: number
  claim(db: Context['db'], due: { now: Date; leaseUntil: Date; limit: number }): Promise<Row[]>
  work: Work<Row>
}

/** A row whose turn fails for a fault of ours is due again when its lease ends, and does not hold up the others. */
async function turn<Row extends Named>(ctx: Context, row: Row, work: Work<Row>): Promise<void> {
  await work(ctx, row).catch((error: unknown) => ctx.log.error({ err: error, id: row.id }, 'a turn failed'))
}

/** Takes up what is due, a batch after the other. */
async function takeUp<Row extends Named>(
  ctx: Context,
  { leaseMs, claim, work }: TakingUp<Row>,
): Promise<number> {
  let taken = 0
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const now = ctx.clock.now()
    const leaseUntil = new Date(now.getTime() + leaseMs)
    const due = await claim(ctx.db, { now, leaseUntil, limit: BATCH })
    if (due.length === 0) break
    taken += due.length
    await Promise.all(due.map((row) => turn(ctx, row, work)))
  }
  return taken
}

async function finishAbandoned(
  ctx: Context,
  key: IdempotencyKeyRecord,
  payment: PaymentRecord,
): Promise<void> {
  try {
    await startPayment(ctx, key, payment, 'resumed')
    ctx.log.info({ paymentId: payment.id }, 'unfinished creation was finished')
  } catch (error) {
    ctx.log.warn({ err: error, paymentId: payment.id }, 'creation cannot be finished yet')
  }
}
