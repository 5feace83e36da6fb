/**
 * After a restore: charges that may have been made in the hours that our database has lost, at a provider that cannot be asked for them.
 * Rule: such a charge is not made by itself. Its payment is `status_unknown`, and waits until a person has compared it with the
 * provider's records. After `paid` the next period follows; after any other decision the charge is made.
 */
import type { Context } from '../../context.ts'
import type { Account } from '../../providers/registry.ts'
import { inTransaction } from '../../storage/db.ts'
import { findPayment, lockPayment } from '../../storage/payments/payments.ts'
import {
  listChargesSincePaid,
  listPeriodCharges,
  type SubscriptionChargeRecord,
} from '../../storage/payments/subscription-charges.ts'
import type { SubscriptionRecord } from '../../storage/payments/subscriptions.ts'
import type { RestoreRecord } from '../../storage/restores/restores.ts'
import { hasNoOwnName, latestRestore } from '../restored.ts'
import { canExpire } from '../status.ts'
import { applyStatusIn } from '../transition.ts'
import { periodOf } from './calendar.ts'

/** Whether the provider can be asked for a charge that our database has lost. */
export function isChargeFindable(account: Pick<Account, 'driver'>): boolean {
  return account.driver.lookUp !== undefined && !hasNoOwnName(account)
}

const DETAIL =
  'after a restore: this charge may have been taken in the hours that the books have lost, and the provider cannot be asked: compare with its records, and decide'

/** Returns whether an unsent charge waits for a person. Leaves it to one first, if it may have been sent in the lost hours. */
export async function waitsForPerson(
  ctx: Context,
  account: Account,
  subscription: SubscriptionRecord,
  charge: SubscriptionChargeRecord,
): Promise<boolean> {
  const restore = await latestRestore(ctx)
  if (restore === null || isChargeFindable(account)) return false
  const { merchantId, paymentId } = charge
  const payment = await findPayment(ctx.db, merchantId, paymentId)
  if (payment?.status === 'status_unknown') return true
  const isOld = charge.createdAt <= restore.backupAt
  // A charge that was stored after that, and was already being sent, had passed this check.
  if (!isOld && payment?.status !== 'created') return false
  if (!isOld && !(await mayRepeat(ctx, restore, subscription, charge))) return false
  return inTransaction(ctx.db, async (tx) => {
    const locked = await lockPayment(tx, merchantId, paymentId)
    if (!locked || !canExpire(locked.status)) return false
    const change = { to: 'status_unknown', cause: 'operation', detail: DETAIL } as const
    return (await applyStatusIn(ctx, tx, locked, change)).outcome === 'changed'
  })
}

/** Whether the charge is for a period that could be charged in the lost hours, and about which no person has decided since. */
async function mayRepeat(
  { db }: Context,
  { backupAt, restoredAt }: RestoreRecord,
  { createdAt, anchorAt, interval, nextChargeAt }: SubscriptionRecord,
  charge: SubscriptionChargeRecord,
): Promise<boolean> {
  const { start } = periodOf(anchorAt, interval, charge.period)
  if (createdAt > backupAt || start > restoredAt) return false
  const ofPeriod = await listPeriodCharges(db, charge, charge.period)
  const isDecided = ofPeriod.some(
    (each) => each.paymentId !== charge.paymentId && each.createdAt >= restoredAt,
  )
  if (isDecided) return false
  if (nextChargeAt === null || nextChargeAt <= restoredAt) return true
  // An earlier charge got its outcome after the restore. It may have had the same outcome, and a successor, before.
  return (await listChargesSincePaid(db, charge)).some(({ updatedAt }) => updatedAt >= restoredAt)
}
