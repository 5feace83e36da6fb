/** Whether an order that the provider has is one that no buyer of this payment can pay. */
import type { Context } from '../../context.ts'
import type { Snapshot } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { Queryable } from '../../storage/db.ts'
import { listAttempts } from '../../storage/payments/attempt-orders.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { latestRestore, mayBeHandedOut } from '../restored.ts'

/**
 * After a restore, whether the order has a number that was given out since. If the provider has an order of that number before ours was
 * sent, it is one that our database has lost.
 */
export async function isNumberFresh(
  ctx: Context,
  { driver }: Account,
  { createdAt, attempt }: AttemptedPayment,
): Promise<boolean> {
  const restore = await latestRestore(ctx)
  const numberedAt = attempt.number === 1 ? createdAt : attempt.begunAt
  return driver.orderNumbers !== undefined && restore !== null && numberedAt >= restore.restoredAt
}

/**
 * Whether nobody has the address of an order that we are opening: the provider has told it once, and it was never stored, so it was never
 * handed out. Books that were restored may have forgotten that they handed it out, and a buyer who is there has it.
 */
export async function isAddressLost(
  ctx: Context,
  { driver }: Account,
  { attempt: { begunAt } }: AttemptedPayment,
  { order }: Snapshot,
): Promise<boolean> {
  if (!driver.addressShownOnce || order !== 'waiting') return false
  return !(await mayBeHandedOut(ctx, begunAt))
}

/** After so many lost orders in a row the next one is opened only when somebody wants to pay or repeats the request. */
const LOST_MAX = 5

/** Whether the last orders of the payment were all lost, the one that was just left included. */
export async function isLosing(tx: Queryable, payment: AttemptedPayment): Promise<boolean> {
  const last = (await listAttempts(tx, payment)).slice(-LOST_MAX)
  return last.length === LOST_MAX && last.every(({ state }) => state === 'lost')
}

/** What an operator reads. It is stored once for a payment. */
export const LOSING =
  'the addresses of several orders were lost: the provider opens orders, and its answers do not arrive. The next order is opened when the buyer goes on, or the merchant repeats the request'
