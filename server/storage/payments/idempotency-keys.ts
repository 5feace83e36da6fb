import { statement } from '../db.ts'

/** The scope of a key: one merchant, one method and one path. */
export type KeyAddress = { merchantId: string; scope: string; key: string }

export type IdempotencyKeyRecord = KeyAddress & {
  fingerprint: string
  paymentId: string
  /** How many payments the key has created. Each use has orders of its own at the provider. */
  uses: number
  /** When the key was first used, or used again for a new payment. */
  createdAt: Date
}

const COLUMNS = `merchant_id as "merchantId", scope, key, fingerprint, payment_id as "paymentId", uses,
  created_at as "createdAt"`

export const findIdempotencyKey = statement<IdempotencyKeyRecord>(
  'find_idempotency_key',
  `select ${COLUMNS} from world.idempotency_keys where merchant_id = $1 and scope = $2 and key = $3`,
).first((at: KeyAddress) => [at.merchantId, at.scope, at.key])

/** Points a key at a new payment. Returns false if another caller did so first. */
export const rebindIdempotencyKey = statement<{ key: string }>(
  'rebind_idempotency_key',
  `update world.idempotency_keys set payment_id = $5, fingerprint = $6, created_at = $7, uses = uses + 1
   where merchant_id = $1 and scope = $2 and key = $3 and payment_id = $4 returning key`,
).some(
  (
    from: KeyAddress & { paymentId: string },
    to: Pick<IdempotencyKeyRecord, 'paymentId' | 'fingerprint' | 'createdAt'>,
  ) => {
    const values = [from.merchantId, from.scope, from.key, from.paymentId]
    return [...values, to.paymentId, to.fingerprint, to.createdAt]
  },
)
