/** Subscriptions. `payments/subscriptions/change.ts` says which changes are allowed, and the database enforces the same rules. */
import { statement } from '../db.ts'
import { fieldsOf, insertInto, type RecordOf, selected, valuesOf } from '../fields.ts'

const TERMS = fieldsOf('subscriptions', [
  'merchantId',
  'id',
  'merchantSubscriptionId',
  'provider',
  /** The provider account of its saved method. It never changes. */
  'accountId',
  'savedMethodId as tokenId',
  'amountMinor',
  'currency',
  'billingInterval as interval',
  'description',
  'metadata',
  /** All dates of the subscription are calculated from this one. */
  'anchorAt',
  /** The operation that created the subscription. It ends when the first period is paid or can no longer be paid. */
  'operationId',
])
const NEW = fieldsOf('subscriptions', [
  ...TERMS,
  /** When the next charge is attempted. Null while an attempt is open, and after the end. */
  'nextChargeAt',
  /** When the worker next works on it. Null if it need not. */
  'dueAt',
  'createdAt',
  'updatedAt',
])
const FIELDS = fieldsOf('subscriptions', [
  ...NEW,
  'status',
  'cancelReason',
  'cancelledAt',
  /** The period that was charged last or is charged next, counted from 1. */
  'period',
  /** The number of tries in a row without progress. */
  'workAttempts',
])
/** One subscription, as stored. Amounts in minor units. */
export type SubscriptionRecord = RecordOf<'subscriptions', typeof FIELDS>

export const SUBSCRIPTION_COLUMNS = selected(FIELDS)

type Named = Pick<SubscriptionRecord, 'merchantId' | 'id'>
export type SubscriptionTerms = RecordOf<'subscriptions', typeof TERMS>

const valuesOfNew = valuesOf('subscriptions', NEW)

/**
 * The new subscription is due at once. Returns false, and writes nothing, if one with the merchant's own id is already running.
 */
// A concurrent second insert waits here until the first has committed, and then finds the merchant's own id in use.
export const insertSubscription = statement<{ id: string }>(
  'insert_subscription',
  `${insertInto('subscriptions', NEW)}
   on conflict (merchant_id, merchant_subscription_id) where status <> 'cancelled' do nothing returning id`,
).some((terms: SubscriptionTerms) => {
  const { anchorAt: at } = terms
  return valuesOfNew({ ...terms, nextChargeAt: at, dueAt: at, createdAt: at, updatedAt: at })
})

/** Returns the subscription with the merchant's own id that is not cancelled. */
export const findRunningSubscription = statement<SubscriptionRecord>(
  'find_running_subscription',
  `select ${SUBSCRIPTION_COLUMNS} from world.subscriptions
   where merchant_id = $1 and merchant_subscription_id = $2 and status <> 'cancelled'`,
).first((merchantId: string, merchantSubscriptionId: string) => [merchantId, merchantSubscriptionId])

/** Returns null for another merchant's subscription, as for one that does not exist. */
export const findSubscription = statement<SubscriptionRecord>(
  'find_subscription',
  `select ${SUBSCRIPTION_COLUMNS} from world.subscriptions where merchant_id = $1 and id = $2`,
).first((merchantId: string, id: string) => [merchantId, id])

/** For operators, who may read the subscriptions of all merchants. */
export const findSubscriptionById = statement<SubscriptionRecord>(
  'find_subscription_by_id',
  `select ${SUBSCRIPTION_COLUMNS} from world.subscriptions where id = $1`,
).first((id: string) => [id])

/** Reads the subscription and locks its row until the transaction ends. The next charge is decided under this lock. */
export const lockSubscription = statement<SubscriptionRecord>(
  'lock_subscription',
  `select ${SUBSCRIPTION_COLUMNS} from world.subscriptions where merchant_id = $1 and id = $2 for update`,
).first(({ merchantId, id }: Named) => [merchantId, id])

export type SubscriptionUpdate = Pick<
  SubscriptionRecord,
  'status' | 'cancelReason' | 'cancelledAt' | 'period' | 'nextChargeAt' | 'dueAt'
> & { at: Date }

/** Writes a decided change. Only `payments/subscriptions/change.ts` calls this. */
export const updateSubscription = statement<SubscriptionRecord>(
  'update_subscription',
  `update world.subscriptions set status = $3, cancel_reason = $4, cancelled_at = $5, period = $6, next_charge_at = $7,
     due_at = $8, work_attempts = 0, updated_at = $9
   where merchant_id = $1 and id = $2 returning ${SUBSCRIPTION_COLUMNS}`,
).row(({ merchantId, id }: Named, to: SubscriptionUpdate) => {
  const values = [to.status, to.cancelReason, to.cancelledAt, to.period, to.nextChargeAt, to.dueAt, to.at]
  return [merchantId, id, ...values]
})

/** Claims up to `limit` due subscriptions of this account. They are due again at `leaseUntil`, unless they are rescheduled. */
export const claimDueSubscriptions = statement<SubscriptionRecord>(
  'claim_due_subscriptions',
  `update world.subscriptions set due_at = $2, work_attempts = work_attempts + 1
   where (merchant_id, id) in (
     select merchant_id, id from world.subscriptions where account_id = $4 and due_at <= $1
     order by due_at limit $3 for update skip locked)
   returning ${SUBSCRIPTION_COLUMNS}`,
).all((accountId: string, { now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number }) => [
  now,
  leaseUntil,
  limit,
  accountId,
])

export const rescheduleSubscription = statement(
  'reschedule_subscription',
  `update world.subscriptions set due_at = $3 where merchant_id = $1 and id = $2 and due_at is not null`,
).run(({ merchantId, id }: Named, dueAt: Date | null) => [merchantId, id, dueAt])

/** Locks the subscriptions that charge this saved method, and makes them due. */
// The rows are locked in the order of their ids. Else two revocations of one token could wait for each other.
export const wakeSubscriptionsOfToken = statement(
  'wake_subscriptions_of_token',
  `with locked as (
     select merchant_id, id from world.subscriptions
     where merchant_id = $1 and saved_method_id = $2 and status <> 'cancelled' order by id for update)
   update world.subscriptions s set due_at = $3 from locked where s.merchant_id = locked.merchant_id and s.id = locked.id`,
).run(({ merchantId, tokenId }: Pick<SubscriptionRecord, 'merchantId' | 'tokenId'>, at: Date) => [
  merchantId,
  tokenId,
  at,
])

/** Makes the payment's subscription due, if the payment belongs to one. */
export const wakeSubscriptionOfPayment = statement(
  'wake_subscription_of_payment',
  `update world.subscriptions set due_at = $3 where (merchant_id, id) = (
     select merchant_id, subscription_id from world.subscription_charges where merchant_id = $1 and payment_id = $2)`,
).run(({ merchantId, id }: { merchantId: string; id: string }, at: Date) => [merchantId, id, at])
