/**
 * The guarded operations. `payments/operation.ts` has the rules of who may change what and when. The database checks the same
 * rules.
 */
import type { OperationStatus } from '../../contract/operation.ts'
import { statement } from '../db.ts'
import { fieldsOf, insertInto, type RecordOf, replaced, selected, valuesOf } from '../fields.ts'
import type { Counted } from '../returns/returned-sums.ts'
import type { KeyAddress } from './idempotency-keys.ts'

/** What a call says. A refused call's row has what the next call with its key says. */
const REQUEST_FIELDS = fieldsOf('operations', [
  'paymentId',
  /** The attempt whose money it moves: 1 for the money of a saving, which is one order. Null where it moves no money. */
  'attempt',
  'savedMethodId as tokenId',
  'subscriptionId',
  'provider',
  /** Null where a refused call found no account. */
  'accountId',
  'status',
  'statusReason',
  'amountMinor',
  'currency',
  'reason',
  'metadata',
  'fingerprint',
  /** When the operation is due for work again. Null if nothing is to be done. */
  'dueAt',
  'updatedAt',
])
const NEW = fieldsOf('operations', [
  'merchantId',
  'id',
  'type',
  /**
   * `request`: a merchant or an operator asked for it. `service`: second money, or the money by which a method was saved, goes
   * back by itself.
   */
  'cause',
  'scope',
  'key',
  'createdAt',
  ...REQUEST_FIELDS,
])
const FIELDS = fieldsOf('operations', [
  ...NEW,
  'providerOperationId',
  /** The provider's report of the order just before the request was sent. */
  'snapshotBefore as before',
  /** When the request was sent to the provider. After that it is never sent again: the provider is only asked. */
  'sentAt',
  /** How often the request was sent: more than once only under a key that the provider remembers. */
  'sendCount',
  /** Since when the write, which was sent, could not leave or was not taken by the provider. Null if that never happened. */
  'notTakenSince',
  /** How often the provider has refused the account when this was sent. It had done nothing, and the next request has another id. */
  'refusedTimes',
  /** When the provider was last seen at work on it. */
  'lastPendingAt',
  /** When the provider said that this refund, which had succeeded, failed after all. */
  'revertedAt',
  /** In which sums of what people and tokens have returned it counts. Null if it counts in none. */
  'counted',
  'attempts',
])
/** One operation, as stored. Amounts in minor units. */
export type OperationRecord = RecordOf<'operations', typeof FIELDS, { counted: Counted | null }>

export const OPERATION_COLUMNS = selected(FIELDS)

/** The statuses of refused calls. Their key can be used again, and the next call with it writes into the same row. */
const REFUSED = `('blocked', 'requires_provider_contract')`

type Named = Pick<OperationRecord, 'merchantId' | 'id'>

/**
 * Inserts the operation with its key. A refused call's row under that key is updated instead, and keeps its id. Returns null and
 * writes nothing if an accepted operation already has the key.
 */
// A second request with the same key waits here until the first one commits. Then it finds the key in use.
export const insertOperation = statement<OperationRecord>(
  'insert_operation',
  `${insertInto('operations', NEW)} on conflict (merchant_id, scope, key) do update set ${replaced(REQUEST_FIELDS)}
     where operations.status in ${REFUSED} returning ${OPERATION_COLUMNS}`,
).first(valuesOf('operations', NEW))

export const findOperationByKey = statement<OperationRecord>(
  'find_operation_by_key',
  `select ${OPERATION_COLUMNS} from world.operations where merchant_id = $1 and scope = $2 and key = $3`,
).first((at: KeyAddress) => [at.merchantId, at.scope, at.key])

export const findOperation = statement<OperationRecord>(
  'find_operation',
  `select ${OPERATION_COLUMNS} from world.operations where merchant_id = $1 and id = $2`,
).first((merchantId: string, id: string) => [merchantId, id])

/** For the operator, to whom all merchants' are open. */
export const findOperationById = statement<OperationRecord>(
  'find_operation_by_id',
  `select ${OPERATION_COLUMNS} from world.operations where id = $1`,
).first((id: string) => [id])

export const lockOperation = statement<OperationRecord>(
  'lock_operation',
  `select ${OPERATION_COLUMNS} from world.operations where merchant_id = $1 and id = $2 for update`,
).first(({ merchantId, id }: Named) => [merchantId, id])

/** As listPaymentOperations, without those that are over. */
export const listOpenOperations = statement<OperationRecord>(
  'list_open_operations',
  `select ${OPERATION_COLUMNS} from world.operations where merchant_id = $1 and payment_id = $2
     and ($3::integer is null or attempt = $3) and status in ('queued', 'processing', 'requires_operator_review') order by id`,
).all((merchantId: string, paymentId: string, attempt: number | null = null) => [
  merchantId,
  paymentId,
  attempt,
])

/** Those of a payment, or only those that move the money of this attempt, the oldest first. */
export const listPaymentOperations = statement<OperationRecord>(
  'list_payment_operations',
  `select ${OPERATION_COLUMNS} from world.operations where merchant_id = $1 and payment_id = $2
     and ($3::integer is null or attempt = $3) order by id`,
).all((merchantId: string, paymentId: string, attempt: number | null = null) => [
  merchantId,
  paymentId,
  attempt,
])

/** Newest first; `after` is the last id of the page before. */
export const listOperations = statement<OperationRecord>(
  'list_operations',
  `select ${OPERATION_COLUMNS} from world.operations where ($1::text is null or merchant_id = $1) and ($2::text is null or id < $2)
     and ($3::text is null or status = $3) and ($4::text is null or payment_id = $4)
   order by id desc limit $5`,
).all(
  (filter: {
    merchantId?: string | undefined
    after?: string | undefined
    status?: OperationStatus | undefined
    paymentId?: string | undefined
    limit: number
  }) => {
    const { merchantId = null, after = null, status = null, paymentId = null, limit } = filter
    return [merchantId, after, status, paymentId, limit]
  },
)

export type OperationUpdate = Pick<OperationRecord, 'status' | 'statusReason' | 'dueAt' | 'revertedAt'> & {
  providerOperationId?: string | undefined
  at: Date
}

/** Writes a decided status. Only `payments/operation-change.ts` calls this. */
export const updateOperation = statement<OperationRecord>(
  'update_operation',
  `update world.operations set status = $3, status_reason = $4, provider_operation_id = coalesce($5, provider_operation_id),
     due_at = $6, updated_at = $7, reverted_at = $8
   where merchant_id = $1 and id = $2 returning ${OPERATION_COLUMNS}`,
).row(({ merchantId, id }: Named, to: OperationUpdate) => {
  const values = [to.status, to.statusReason, to.providerOperationId ?? null, to.dueAt, to.at, to.revertedAt]
  return [merchantId, id, ...values]
})

/** Makes the oldest operation due that waits to move the money of the same attempt. */
export const wakeNextOperation = statement(
  'wake_next_operation',
  `update world.operations set due_at = $3 where merchant_id = $1 and id = (
     select id from world.operations
     where merchant_id = $1 and payment_id = $2 and attempt = $4 and status = 'queued' order by id limit 1)`,
).run(
  (
    { merchantId, paymentId, attempt }: Pick<OperationRecord, 'merchantId' | 'paymentId' | 'attempt'>,
    at: Date,
  ) => [merchantId, paymentId, at, attempt],
)

/** Stores once that the request is about to be sent to the provider. Returns null if another caller has stored it before. */
export const markOperationSent = statement<OperationRecord>(
  'mark_operation_sent',
  `update world.operations set snapshot_before = $3, sent_at = $4, send_count = send_count + 1
   where merchant_id = $1 and id = $2 and sent_at is null and status = 'processing' returning ${OPERATION_COLUMNS}`,
).first(({ merchantId, id }: Named, before: object, at: Date) => [merchantId, id, before, at])

/** Fields that are null or absent are not changed. */
type Rescheduled = { dueAt: Date; why?: string | null } & Partial<
  Pick<OperationRecord, 'lastPendingAt' | 'providerOperationId'>
>

/** Postpones an operation that has not ended. `why` becomes the reason of its status. */
export const rescheduleOperation = statement(
  'reschedule_operation',
  `update world.operations set due_at = $3, status_reason = coalesce($4, status_reason), last_pending_at = coalesce($5, last_pending_at),
     provider_operation_id = coalesce($6, provider_operation_id)
   where merchant_id = $1 and id = $2 and due_at is not null`,
).run(
  (
    { merchantId, id }: Named,
    { dueAt, why = null, lastPendingAt = null, providerOperationId = null }: Rescheduled,
  ) => [merchantId, id, dueAt, why, lastPendingAt, providerOperationId],
)
