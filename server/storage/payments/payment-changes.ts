import type { PaymentStatus } from '../../contract/payment.ts'
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, insertInto, type RecordOf, selected, valuesOf } from '../fields.ts'
import { WORDS } from '../rows.ts'
import type { NamedPayment } from './payment.ts'

export const CAUSES = WORDS.payment_cause
/** Who moved a status. */
export type Cause = (typeof CAUSES)[number]

const FIELDS = fieldsOf('payment_changes', [
  'merchantId',
  'paymentId',
  'version',
  'fromStatus',
  'toStatus',
  'cause',
  'detail',
  /** The person who decided, where one did. */
  'actor',
  'createdAt',
])
/** One line of a payment's timeline. */
export type PaymentChangeRecord = RecordOf<'payment_changes', typeof FIELDS>

export const insertPaymentChange = statement(
  'insert_payment_change',
  insertInto('payment_changes', FIELDS),
).run(valuesOf('payment_changes', FIELDS))

export const listPaymentChanges = statement<PaymentChangeRecord>(
  'list_payment_changes',
  `select ${selected(FIELDS)} from world.payment_changes where merchant_id = $1 and payment_id = $2 order by version`,
).all((merchantId: string, paymentId: string) => [merchantId, paymentId])

/** How often a payment has changed into one of these statuses. */
export const countPaymentChangesTo = statement<{ count: number }>(
  'count_payment_changes_to',
  `select count(*)::int as count from world.payment_changes
   where merchant_id = $1 and payment_id = $2 and to_status = any($3)`,
).value(
  'count',
  0,
  ({ merchantId, id }: { merchantId: string; id: string }, statuses: readonly PaymentStatus[]) => [
    merchantId,
    id,
    [...statuses],
  ],
)

const CANCELLATION_FIELDS = fieldsOf('cancellations', [
  'merchantId',
  'paymentId',
  'key',
  'fingerprint',
  'reason',
  'metadata',
  /** The operator who asked in the merchant's place. */
  'actor',
  'createdAt',
])
/** The request by which a merchant has cancelled a payment. */
export type CancellationRecord = RecordOf<'cancellations', typeof CANCELLATION_FIELDS>

const CANCELLATION = selected(CANCELLATION_FIELDS)

export const findCancellation = statement<CancellationRecord>(
  'find_cancellation',
  `select ${CANCELLATION}
   from world.cancellations where merchant_id = $1 and payment_id = $2`,
).first(({ merchantId, id }: NamedPayment) => [merchantId, id])

/** Stores the request and marks the payment. The caller has the payment's lock. */
export const insertCancellation = statement(
  'insert_cancellation',
  `with cancelled as (
     insert into world.cancellations (merchant_id, payment_id, key, fingerprint, reason, metadata, actor, created_at)
     values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8)
   ) update world.payments set merchant_cancelled_at = $8 where merchant_id = $1 and id = $2`,
).run((record: CancellationRecord) => {
  const { merchantId, paymentId, key, fingerprint, reason, metadata, actor, createdAt } = record
  return [
    merchantId,
    paymentId,
    key,
    fingerprint,
    reason,
    metadata && JSON.stringify(metadata),
    actor,
    createdAt,
  ]
})

const forbid = statement<{ isBusy: boolean }>(
  'forbid_finalizing',
  `with forbidden as (
     update world.attempts set finalizing_until = 'infinity'
     where merchant_id = $1 and payment_id = $2 and (finalizing_until is null or finalizing_until <= $3) returning number)
   select exists (
     select from world.attempts a where merchant_id = $1 and payment_id = $2
       and (a.lease_until > $3 or a.finalizing_until > $3 and a.finalizing_until <> 'infinity'
         and a.number not in (select number from forbidden)
         or a.proof is not null and a.state in ('opening', 'open'))) as "isBusy"`,
)

/**
 * From now on nobody takes the money of an approved order of this payment, also not who has read the payment before. Returns false if
 * somebody is taking it, or is opening an order, at this moment, or if the provider has proven it and that is not applied yet. The transaction must then be given up.
 */
export async function forbidTaking(
  db: Queryable,
  { merchantId, id }: NamedPayment,
  now: Date,
): Promise<boolean> {
  return !((await forbid(db, [merchantId, id, now]))[0]?.isBusy ?? false)
}
