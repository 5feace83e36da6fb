/**
 * What falls due by a column of our own instead of a job: at each turn the rows that are due are claimed under a lease.
 * A row that its worker never finished falls due again, so nothing is lost with a process.
 */
import type { Context } from '../context.ts'
import { startPayment } from '../payments/start.ts'
import { SYNC_LEASE_MS, syncDue } from '../payments/sync.ts'
import { claimAbandonedIdempotencyKeys, type IdempotencyKeyRecord } from '../storage/idempotency-keys.ts'
import { unlockDeadWorkers } from '../storage/jobs.ts'
import { claimDuePayments, findPayment, type PaymentRecord } from '../storage/payments.ts'

const SYNC_BATCH = 50
const KEYS_BATCH = 20
/** A caller whose provider did not answer gets this long to retry before the key is finished without it. */
const KEYS_PATIENCE_MS = 3_000

export const SWEEPS = {
  /** Asks the providers of the payments that are due. */
  async statusSync(ctx: Context): Promise<void> {
    const now = ctx.clock.now()
    const due = await claimDuePayments(ctx.db, now, new Date(now.getTime() + SYNC_LEASE_MS), SYNC_BATCH)
    await Promise.all(due.map((payment) => syncDue(ctx, payment)))
  },

  /** Finishes creations whose process died, so that each key has a final answer even if nobody retries. */
  async abandonedKeys(ctx: Context): Promise<void> {
    const now = ctx.clock.now()
    const until = new Date(now.getTime() + ctx.config.idempotencyLeaseSeconds * 1000)
    const since = new Date(now.getTime() - KEYS_PATIENCE_MS)
    for (const key of await claimAbandonedIdempotencyKeys(ctx.db, since, until, KEYS_BATCH)) {
      const payment = await findPayment(ctx.db, key.merchantId, key.paymentId)
      if (payment) await finishAbandoned(ctx, key, payment)
    }
  },

  /** Frees the jobs that dead workers held. */
  async deadWorkers(ctx: Context): Promise<void> {
    await unlockDeadWorkers(ctx.db, ctx.config.deliveryLeaseSeconds)
  },
} satisfies Record<string, (ctx: Context) => Promise<void>>

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
