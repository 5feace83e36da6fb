import { statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

const FIELDS = fieldsOf('idempotency_keys', [
  'merchantId',
  'scope',
  'key',
  'fingerprint',
  'paymentId',
  /** How many payments the key has created. Each use has orders of its own at the provider. */
  'uses',
  /** When the key was first used, or used again for a new payment. */
  'createdAt',
])
export type IdempotencyKeyRecord = RecordOf<'idempotency_keys', typeof FIELDS>
/** The scope of a key: one merchant, one method and one path. */
export type KeyAddress = Pick<IdempotencyKeyRecord, 'merchantId' | 'scope' | 'key'>

const COLUMNS = selected(FIELDS)

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
