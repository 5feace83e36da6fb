/** Whether an order that the provider has is one that no buyer of this payment can pay. */
import type { Context } from '../../context.ts'
import type { Snapshot } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { latestRestore, mayBeKnownAlready } from '../restored.ts'

/**
 * After a restore, whether the order has a number that was given out since. If the provider has an order of that number before ours was
 * sent, it is one that the books have lost.
 */
export async function isNumberFresh(
  ctx: Context,
  { driver }: Account,
  { createdAt, attempt }: AttemptedPayment,
): Promise<boolean> {
  const restore = await latestRestore(ctx)
  const numberedAt = attempt.number === 1 ? createdAt : attempt.begunAt
  return driver.allocateReference !== undefined && restore !== null && numberedAt >= restore.restoredAt
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
  if (!driver.addressToldOnce || order !== 'waiting') return false
  const restore = await latestRestore(ctx)
  return restore === null || (begunAt >= restore.restoredAt && !(await mayBeKnownAlready(ctx, begunAt)))
}
