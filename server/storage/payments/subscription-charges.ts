/** The attempts to charge a subscription's periods. The database prevents a second charge for one period. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, insertInto, type RecordOf, selected, valuesOf } from '../fields.ts'
import type { Word } from '../rows.ts'

export type ChargeState = Word<'subscription_charges.state'>

const FIELDS = fieldsOf('subscription_charges', [
  'merchantId',
  'subscriptionId',
  'period',
  /** Counted from 1 within the period. */
  'attempt',
  'paymentId',
  /** When the charge was first sent to the provider. From then on it is asked about, or sent again unchanged. */
  'sentAt',
  /** The sent request, apart from the payment's own terms. Null while nothing was sent. */
  'request',
  /** How often the provider has refused the account when this was sent. It had done nothing, and the next request has another id. */
  'refusedTimes',
  /**
   * `lost`: it was sent, and the provider certainly never got it. `surplus`: paid after another attempt had already paid for the
   * period.
   */
  'state',
  'createdAt',
  'updatedAt',
])
/** One attempt. Its payment stores the money and the outcome. */
export type SubscriptionChargeRecord = RecordOf<'subscription_charges', typeof FIELDS>

const COLUMNS = selected(FIELDS)
const NEW = fieldsOf('subscription_charges', [
  'merchantId',
  'subscriptionId',
  'period',
  'attempt',
  'paymentId',
  'createdAt',
  'updatedAt',
])

const insert = statement<SubscriptionChargeRecord>(
  'insert_subscription_charge',
  `${insertInto('subscription_charges', NEW)} returning ${COLUMNS}`,
)
const ofSubscription = statement<SubscriptionChargeRecord>(
  'list_subscription_charges',
  `select ${COLUMNS} from world.subscription_charges where merchant_id = $1 and subscription_id = $2
   order by period desc, attempt desc limit $3`,
)

type Of = { merchantId: string; subscriptionId: string }

/** @throws Error (unique_violation) when the period has an attempt that is open or has been paid. */
export async function insertSubscriptionCharge(
  tx: Queryable,
  charge: Omit<RecordOf<'subscription_charges', typeof NEW>, 'updatedAt'>,
): Promise<SubscriptionChargeRecord> {
  const record = { ...charge, updatedAt: charge.createdAt }
  const rows = await insert(tx, valuesOf('subscription_charges', NEW)(record))
  return rows[0] as SubscriptionChargeRecord
}

/** Returns the last `max` charges, or all, the oldest first. */
export async function listSubscriptionCharges(
  db: Queryable,
  { merchantId, subscriptionId }: Of,
  max: number | null = null,
): Promise<SubscriptionChargeRecord[]> {
  return (await ofSubscription(db, [merchantId, subscriptionId, max])).reverse()
}

export const listPeriodCharges = statement<SubscriptionChargeRecord>(
  'list_period_charges',
  `select ${COLUMNS} from world.subscription_charges
   where merchant_id = $1 and subscription_id = $2 and period = $3 order by attempt`,
).all(({ merchantId, subscriptionId }: Of, period: number) => [merchantId, subscriptionId, period])

/** Returns the charges of the periods after the last one that was paid, the oldest first. */
export const listChargesSincePaid = statement<SubscriptionChargeRecord>(
  'list_charges_since_paid',
  `select ${COLUMNS} from world.subscription_charges
   where merchant_id = $1 and subscription_id = $2 and period > (
     select coalesce(max(period), 0) from world.subscription_charges
     where merchant_id = $1 and subscription_id = $2 and state = 'paid')
   order by period, attempt`,
).all(({ merchantId, subscriptionId }: Of) => [merchantId, subscriptionId])

export const findOpenSubscriptionCharge = statement<SubscriptionChargeRecord>(
  'find_open_subscription_charge',
  `select ${COLUMNS} from world.subscription_charges where merchant_id = $1 and subscription_id = $2 and state = 'open'`,
).first(({ merchantId, subscriptionId }: Of) => [merchantId, subscriptionId])

/** Returns the failed and the lost charges whose payments have received money after all. */
export const listLateSubscriptionCharges = statement<SubscriptionChargeRecord>(
  'list_late_subscription_charges',
  `select ${COLUMNS} from world.subscription_charges as charge
   where merchant_id = $1 and subscription_id = $2 and state in ('failed', 'lost') and exists (
     select from world.payments where merchant_id = $1 and id = charge.payment_id and authorized_minor > 0)
   order by period, attempt`,
).all(({ merchantId, subscriptionId }: Of) => [merchantId, subscriptionId])

type SentCharge = Pick<SubscriptionChargeRecord, 'merchantId' | 'paymentId' | 'sentAt'>

/** Stores, once, that the charge is about to be sent to the provider, and what is sent. Returns null to every later caller. */
export const markSubscriptionChargeSent = statement<SubscriptionChargeRecord>(
  'tell_subscription_charge',
  `update world.subscription_charges set sent_at = $3, request = $4, updated_at = $3
   where merchant_id = $1 and payment_id = $2 and sent_at is null and state = 'open' returning ${COLUMNS}`,
).first(
  (
    { merchantId, paymentId }: Pick<SubscriptionChargeRecord, 'merchantId' | 'paymentId'>,
    { request, at }: { request: object; at: Date },
  ) => [merchantId, paymentId, at, JSON.stringify(request)],
)

/** Stores that the charge is about to be sent again. Returns null if its outcome is known by now. */
export const markSubscriptionChargeResent = statement<SubscriptionChargeRecord>(
  'retell_subscription_charge',
  `update world.subscription_charges set updated_at = $4
   where merchant_id = $1 and payment_id = $2 and sent_at = $3 and state = 'open' returning ${COLUMNS}`,
).first(({ merchantId, paymentId, sentAt }: SentCharge, at: Date) => [merchantId, paymentId, sentAt, at])

/** Stores that the charge was not sent after all. Returns null, and writes nothing, if somebody has sent it again meanwhile. */
export const unmarkSubscriptionChargeSent = statement<SubscriptionChargeRecord>(
  'untell_subscription_charge',
  `update world.subscription_charges set sent_at = null, request = null, refused_times = refused_times + case when $4 then 1 else 0 end
   where merchant_id = $1 and payment_id = $2 and sent_at = $3 and updated_at = $3 and state = 'open' returning ${COLUMNS}`,
).first(({ merchantId, paymentId, sentAt }: SentCharge, isRefused: boolean) => [
  merchantId,
  paymentId,
  sentAt,
  isRefused,
])

/** Returns false if the charge's status is no longer `from`. */
export const settleSubscriptionCharge = statement<{ id: string }>(
  'settle_subscription_charge',
  `update world.subscription_charges set state = $4, updated_at = $5
   where merchant_id = $1 and payment_id = $2 and state = $3 returning payment_id as id`,
).some(
  (
    { merchantId, paymentId }: Pick<SubscriptionChargeRecord, 'merchantId' | 'paymentId'>,
    { from, to, at }: { from: ChargeState; to: ChargeState; at: Date },
  ) => [merchantId, paymentId, from, to, at],
)
