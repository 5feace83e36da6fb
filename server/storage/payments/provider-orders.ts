/** Data about an attempt's order at the provider. It does not change the payment's status. */
import { type Queryable, statement } from '../db.ts'
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
 * Returns true for one caller, who may take the approved order's money until `until`. Returns false if the payment has ended,
 * has changed since it was read, or expired before `expiredAfter` without an approval that could not be used.
 */
export const claimFinalizingOrder = statement<{ number: number }>(
  'claim_finalizing',
  `update world.attempts a set finalizing_until = $5 from world.payments p
   where a.merchant_id = $1 and a.payment_id = $2 and number = $3 and (finalizing_until is null or finalizing_until <= $6)
     and p.merchant_id = $1 and p.id = $2 and version = $4 and p.attempt = a.number
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
export type Proven = { allowedAt: Date | null; proof: unknown }

const read = statement<Proven>(
  'read_proof',
  `select allowed_at as "allowedAt", proof from world.attempts
   where merchant_id = $1 and payment_id = $2 and number = $3`,
)

/** Returns true for one caller in each interval, who may tell the provider that the order may be paid. */
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
): Promise<Proven> {
  return (await read(db, [merchantId, paymentId, number]))[0] ?? { allowedAt: null, proof: null }
}
