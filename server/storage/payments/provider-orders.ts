/** Data about an attempt's order at the provider. It does not change the payment's status. */
import { type Queryable, statement } from '../db.ts'
import type { NamedAttempt } from './attempt.ts'
import type { Payment } from './payment.ts'

const updateState = statement(
  'update_provider_state',
  `update world.attempts set provider_state = $4
   where merchant_id = $1 and payment_id = $2 and number = $3 and provider_state is distinct from $4::jsonb`,
)
const claimFinalizing = statement<{ number: number }>(
  'claim_finalizing',
  `update world.attempts a set finalizing_until = $5 from world.payments p
   where a.merchant_id = $1 and a.payment_id = $2 and number = $3 and (finalizing_until is null or finalizing_until <= $6)
     and p.merchant_id = $1 and p.id = $2 and version = $4 and p.expires_at > $7 and p.attempt = a.number
     and status in ('created', 'pending_redirect', 'pending_payment', 'status_unknown')
   returning number`,
)

/** Stores what the driver needs to find its order again. */
export async function updateProviderState(
  db: Queryable,
  { merchantId, paymentId, number }: NamedAttempt,
  state: unknown,
): Promise<void> {
  await updateState(db, [merchantId, paymentId, number, JSON.stringify(state)])
}

/**
 * Returns true for one caller, who may take the approved order's money until `until`. Returns false if the payment has ended,
 * has changed since it was read, or expired before `expiredAfter`.
 */
export async function claimFinalizingOrder(
  db: Queryable,
  {
    version,
    attempt: { merchantId, paymentId, number },
  }: Pick<Payment, 'version'> & { attempt: NamedAttempt },
  { now, until, expiredAfter }: { now: Date; until: Date; expiredAfter: Date },
): Promise<boolean> {
  const values = [merchantId, paymentId, number, version, until, now, expiredAfter]
  return (await claimFinalizing(db, values)).length > 0
}

/** `allowedAt`: when the provider was last told that the order may be paid. `proof`: the snapshot that it sent. */
export type Proven = { allowedAt: Date | null; proof: unknown }

const allow = statement<{ number: number }>(
  'allow_order',
  `update world.attempts set allowed_at = $4
   where merchant_id = $1 and payment_id = $2 and number = $3 and state in ('opening', 'open') and proof is null
     and (allowed_at is null or allowed_at <= $5) returning number`,
)
const store = statement<{ number: number }>(
  'store_proof',
  `update world.attempts set proof = coalesce(proof, $4::jsonb), question_due_at = least(question_due_at, $6)
   where merchant_id = $1 and payment_id = $2 and number = $3
     and (proof is null or proof->>'providerTransactionId' is not distinct from $5::text) returning number`,
)
const read = statement<Proven>(
  'read_proof',
  `select allowed_at as "allowedAt", proof from world.attempts
   where merchant_id = $1 and payment_id = $2 and number = $3`,
)

/** Returns true for one caller in each interval, who may tell the provider that the order may be paid. */
export async function claimAllowing(
  db: Queryable,
  { merchantId, paymentId, number }: NamedAttempt,
  { now, unlessSince }: { now: Date; unlessSince: Date },
): Promise<boolean> {
  return (await allow(db, [merchantId, paymentId, number, now, unlessSince])).length > 0
}

/**
 * Stores what the provider has proven, and makes the attempt due at `dueAt`, so that a crash loses nothing. Returns false if another
 * transaction has proven the order before.
 */
export async function storeProof(
  db: Queryable,
  { merchantId, paymentId, number }: NamedAttempt,
  { proof, transactionId, dueAt }: { proof: object; transactionId: string | null; dueAt: Date },
): Promise<boolean> {
  const row = [merchantId, paymentId, number, JSON.stringify(proof), transactionId, dueAt]
  return (await store(db, row)).length > 0
}

export async function readProven(
  db: Queryable,
  { merchantId, paymentId, number }: NamedAttempt,
): Promise<Proven> {
  return (await read(db, [merchantId, paymentId, number]))[0] ?? { allowedAt: null, proof: null }
}
