import { type Queryable, statement } from '../db.ts'

/** The scope of a key: one merchant, one method and one path. */
export type KeyAddress = { merchantId: string; scope: string; key: string }

export type IdempotencyKeyRecord = KeyAddress & {
  fingerprint: string
  paymentId: string
  /** Null when the result is final. Until then the holder of the lease is working on it. */
  leaseUntil: Date | null
  /** How many payments the key has created. Each use has orders of its own at the provider. */
  uses: number
  /** True when the provider refused the key's payment: no order exists, and the next request is a new use. */
  isFree: boolean
  /** When the key was first used, or used again for a new payment. */
  createdAt: Date
}

export const KEY_COLUMNS = `merchant_id as "merchantId", scope, key, fingerprint, payment_id as "paymentId", lease_until as "leaseUntil",
  uses, is_free as "isFree", created_at as "createdAt"`

const find = statement<IdempotencyKeyRecord>(
  'find_idempotency_key',
  `select ${KEY_COLUMNS} from world.idempotency_keys where merchant_id = $1 and scope = $2 and key = $3`,
)
const takeLease = statement<{ key: string }>(
  'take_idempotency_lease',
  `update world.idempotency_keys set lease_until = $5
   where merchant_id = $1 and scope = $2 and key = $3 and lease_until <= $4 returning key`,
)
const endLease = statement(
  'end_idempotency_lease',
  `update world.idempotency_keys set lease_until = $4 where merchant_id = $1 and scope = $2 and key = $3 and lease_until = $5`,
)
const finish = statement(
  'finish_idempotency_key',
  `update world.idempotency_keys set lease_until = null where merchant_id = $1 and scope = $2 and key = $3 and payment_id = $4`,
)
const free = statement(
  'free_idempotency_key',
  `update world.idempotency_keys set lease_until = null, is_free = true
   where merchant_id = $1 and scope = $2 and key = $3 and payment_id = $4`,
)
const rebind = statement<{ key: string }>(
  'rebind_idempotency_key',
  `update world.idempotency_keys set payment_id = $5, fingerprint = $6, lease_until = $7, created_at = $8,
     uses = uses + 1, is_free = false
   where merchant_id = $1 and scope = $2 and key = $3 and payment_id = $4 and lease_until is null returning key`,
)
const nextLease = statement<{ at: Date | null }>(
  'find_next_idempotency_lease',
  'select min(lease_until) as at from world.idempotency_keys where lease_until is not null',
)

export async function findIdempotencyKey(
  db: Queryable,
  at: KeyAddress,
): Promise<IdempotencyKeyRecord | null> {
  return (await find(db, [at.merchantId, at.scope, at.key]))[0] ?? null
}

/** Takes over a lease that has ended at `now`. Returns false if another caller holds it, or if the key is finished. */
export async function takeIdempotencyLease(
  db: Queryable,
  at: KeyAddress,
  now: Date,
  until: Date,
): Promise<boolean> {
  return (await takeLease(db, [at.merchantId, at.scope, at.key, now, until])).length > 0
}

/** A key with the end of its lease. If the stored end differs, another caller has taken the lease over. */
export type LeasedKey = KeyAddress & Pick<IdempotencyKeyRecord, 'leaseUntil'>

/**
 * Ends the lease of an unfinished key, so that a retry can resume it at once. A lease that another caller has taken over stays.
 */
export async function endIdempotencyLease(db: Queryable, at: LeasedKey, now: Date): Promise<void> {
  await endLease(db, [at.merchantId, at.scope, at.key, now, at.leaseUntil])
}

/** Stores that the payment is the key's final result. */
export async function finishIdempotencyKey(db: Queryable, at: KeyAddress, paymentId: string): Promise<void> {
  await finish(db, [at.merchantId, at.scope, at.key, paymentId])
}

/** Frees a key whose creation failed, so that it can be used again. */
export async function freeIdempotencyKey(db: Queryable, at: KeyAddress, paymentId: string): Promise<void> {
  await free(db, [at.merchantId, at.scope, at.key, paymentId])
}

/** Points a finished or free key at a new payment. Returns false if another caller did so first. */
export async function rebindIdempotencyKey(
  db: Queryable,
  from: KeyAddress & { paymentId: string },
  to: { paymentId: string; fingerprint: string; leaseUntil: Date | null; createdAt: Date },
): Promise<boolean> {
  const values = [from.merchantId, from.scope, from.key, from.paymentId]
  return (await rebind(db, [...values, to.paymentId, to.fingerprint, to.leaseUntil, to.createdAt])).length > 0
}

/** Returns when the first lease of an unfinished key ends. Null if every key is finished. */
export async function findNextIdempotencyLease(db: Queryable): Promise<Date | null> {
  return (await nextLease(db, []))[0]?.at ?? null
}
