/** Data about an attempt's order at the provider. It does not change the payment's status. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import type { NamedAttempt } from './attempt.ts'
import type { Payment } from './payment.ts'

/** Stores what the driver needs to find its order again. */
export const updateProviderState = statement(
  'update_provider_state',
  `update world.attempts set provider_state = $4
   where merchant_id = $1 and payment_id = $2 and number = $3 and provider_state is distinct from $4::jsonb`,
).run(({ merchantId, paymentId, number }: NamedAttempt, state: unknown) => [
  merchantId,
  paymentId,
  number,
  JSON.stringify(state),
])

/**
 * Returns true for one caller, who may take the approved order's money until `until`. Returns false if the payment has ended or has changed
 * since it was read, if its buyer has left the order, or if it expired before `expiredAfter` without an approval that could not be used.
 */
export const claimFinalizingOrder = statement<{ number: number }>(
  'claim_finalizing',
  `update world.attempts a set finalizing_until = $5 from world.payments p
   where a.merchant_id = $1 and a.payment_id = $2 and number = $3 and (finalizing_until is null or finalizing_until <= $6)
     and p.merchant_id = $1 and p.id = $2 and version = $4 and p.attempt = a.number and a.state <> 'withdrawn'
     and (p.expires_at > $7 or a.under_way_since is not null)
     and status in ('created', 'pending_redirect', 'pending_payment', 'status_unknown')
   returning number`,
).some(
  (
    {
      version,
      attempt: { merchantId, paymentId, number },
    }: Pick<Payment, 'version'> & { attempt: NamedAttempt },
    { now, until, expiredAfter }: { now: Date; until: Date; expiredAfter: Date },
  ) => {
    const values = [merchantId, paymentId, number, version, until, now, expiredAfter]
    return values
  },
)

/** The claim ends at `again`, because its request was certainly not carried out. */
export const releaseFinalizingOrder = statement(
  'release_finalizing',
  `update world.attempts set finalizing_until = $5
   where merchant_id = $1 and payment_id = $2 and number = $3 and finalizing_until = $4`,
).run(
  (
    { merchantId, paymentId, number }: NamedAttempt,
    { claimedUntil, again }: { claimedUntil: Date; again: Date },
  ) => [merchantId, paymentId, number, claimedUntil, again],
)

/** `allowedAt`: when the provider was last told that the order may be paid. `proof`: the snapshot that it sent. */
export type ProvenOrder = { allowedAt: Date | null; proof: unknown }

const read = statement<ProvenOrder>(
  'read_proof',
  `select allowed_at as "allowedAt", proof from world.attempts
   where merchant_id = $1 and payment_id = $2 and number = $3`,
)

/** Returns true for one caller in each interval. That caller may allow the provider to take the payment. */
export const claimAllowing = statement<{ number: number }>(
  'allow_order',
  `update world.attempts set allowed_at = $4
   where merchant_id = $1 and payment_id = $2 and number = $3 and state in ('opening', 'open') and proof is null
     and (allowed_at is null or allowed_at <= $5) returning number`,
).some(
  (
    { merchantId, paymentId, number }: NamedAttempt,
    { now, unlessSince }: { now: Date; unlessSince: Date },
  ) => [merchantId, paymentId, number, now, unlessSince],
)

/**
 * Stores what the provider has proven, and makes the attempt due at `dueAt`, so that a crash loses nothing. Returns false if another
 * transaction has proven the order before.
 */
export const storeProof = statement<{ number: number }>(
  'store_proof',
  `update world.attempts set proof = coalesce(proof, $4::jsonb), question_due_at = least(question_due_at, $6)
   where merchant_id = $1 and payment_id = $2 and number = $3
     and (proof is null or proof->>'providerTransactionId' is not distinct from $5::text) returning number`,
).some(
  (
    { merchantId, paymentId, number }: NamedAttempt,
    { proof, transactionId, dueAt }: { proof: object; transactionId: string | null; dueAt: Date },
  ) => {
    const row = [merchantId, paymentId, number, JSON.stringify(proof), transactionId, dueAt]
    return row
  },
)

export async function readProven(
  db: Queryable,
  { merchantId, paymentId, number }: NamedAttempt,
): Promise<ProvenOrder> {
  return (await read(db, [merchantId, paymentId, number]))[0] ?? { allowedAt: null, proof: null }
}

/** How a refund or a capture ended, as the provider has told it in a callback. */
export type WriteResultRecord = RecordOf<'write_results', typeof RESULT_FIELDS>
const RESULT_FIELDS = fieldsOf('write_results', [
  'write',
  /** The name of the row. It never changes, whatever is learned later. */
  'name',
  /** Ours, as the write carried it. Null if the provider did not name it. */
  'key',
  'providerId',
  'state',
  'amountMinor',
])

export const listWriteResults = statement<WriteResultRecord>(
  'list_write_results',
  `select ${selected(RESULT_FIELDS)} from world.write_results
   where merchant_id = $1 and payment_id = $2 and attempt = $3 order by heard_at, write, name`,
).all(({ merchantId, paymentId, number }: NamedAttempt) => [merchantId, paymentId, number])

/** Stores the result, or what is new of it. The payment's row is locked. */
export const storeWriteResult = statement(
  'store_write_result',
  `insert into world.write_results as known
     (merchant_id, payment_id, attempt, write, name, key, provider_id, state, amount_minor, heard_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (merchant_id, payment_id, attempt, write, name) do update
     set key = coalesce(known.key, excluded.key), provider_id = coalesce(known.provider_id, excluded.provider_id),
       state = excluded.state, heard_at = excluded.heard_at`,
).run(
  (
    { merchantId, paymentId, number }: NamedAttempt,
    { write, name, key, providerId, state, amountMinor }: WriteResultRecord,
    at: Date,
  ) => [merchantId, paymentId, number, write, name, key, providerId, state, amountMinor, at],
)

/**
 * Makes the operations of this attempt due on which the provider is working. They only wait for a result, and nothing of them is sent
 * again.
 */
export const wakePendingOperations = statement(
  'wake_pending_operations',
  `update world.operations set due_at = least(due_at, $4)
   where merchant_id = $1 and payment_id = $2 and attempt = $3 and status = 'processing' and last_pending_at is not null
     and due_at is not null`,
).run(({ merchantId, paymentId, number }: NamedAttempt, at: Date) => [merchantId, paymentId, number, at])
