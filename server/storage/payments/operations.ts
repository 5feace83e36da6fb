/**
 * The guarded operations. `payments/operation.ts` has the rules of who may change what and when. The database checks the same
 * rules.
 */
import type { CurrencyCode, Metadata, ProviderRoute } from '../../contract/fields.ts'
import type { OperationStatus, OperationType } from '../../contract/operation.ts'
import { statement } from '../db.ts'
import type { Counted } from '../returns/returned-sums.ts'
import type { KeyAddress } from './idempotency-keys.ts'

/** One operation, as stored. Amounts in minor units. */
export type OperationRecord = KeyAddress & {
  id: string
  type: OperationType
  paymentId: string | null
  /** The attempt whose money it moves: 1 for the money of a saving, which is one order. Null where it moves no money. */
  attempt: number | null
  tokenId: string | null
  subscriptionId: string | null
  /**
   * `request`: a merchant or an operator asked for it. `service`: second money, or the money by which a method was saved, goes
   * back by itself.
   */
  cause: 'request' | 'service'
  provider: ProviderRoute
  /** Null where a refused call found no account. */
  accountId: string | null
  providerOperationId: string | null
  status: OperationStatus
  statusReason: string | null
  amountMinor: number | null
  currency: CurrencyCode | null
  reason: string | null
  metadata: Metadata | null
  fingerprint: string
  /** What the provider said of the order just before it was told. */
  before: unknown
  /** When the request was sent to the provider. After that it is never sent again: the provider is only asked. */
  sentAt: Date | null
  /** How often the provider was told: more than once only under a key that it remembers. */
  sendCount: number
  /** Since when the write, which was sent, could not leave or was not taken by the provider. Null if that never happened. */
  notTakenSince: Date | null
  /** How often the provider has refused the account when this was sent. It had done nothing, and the next request has another id. */
  refusedTimes: number
  /** When the provider was last seen at work on it. */
  lastPendingAt: Date | null
  /** When the provider said that this refund, which had succeeded, failed after all. */
  revertedAt: Date | null
  /** In which sums of what people and tokens have returned it counts. Null if it counts in none. */
  counted: Counted | null
  /** When the operation is due for work again. Null if nothing is to be done. */
  dueAt: Date | null
  attempts: number
  createdAt: Date
  updatedAt: Date
}

export const OPERATION_COLUMNS = `merchant_id as "merchantId", id, type, payment_id as "paymentId", attempt, cause, saved_method_id as "tokenId",
  subscription_id as "subscriptionId", provider, account_id as "accountId", provider_operation_id as "providerOperationId", status,
  status_reason as "statusReason", amount_minor as "amountMinor", currency, reason, metadata, scope, key, fingerprint,
  snapshot_before as "before", sent_at as "sentAt", send_count as "sendCount", not_taken_since as "notTakenSince", refused_times as "refusedTimes", last_pending_at as "lastPendingAt", reverted_at as "revertedAt", counted, due_at as "dueAt", attempts, created_at as "createdAt", updated_at as "updatedAt"`

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
  `insert into world.operations (merchant_id, id, type, payment_id, saved_method_id, subscription_id, provider, status, status_reason,
     amount_minor, currency, reason, metadata, scope, key, fingerprint, due_at, created_at, updated_at, account_id, attempt, cause)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $18, $19, $20, $21)
   on conflict (merchant_id, scope, key) do update set
     payment_id = excluded.payment_id, attempt = excluded.attempt, saved_method_id = excluded.saved_method_id, subscription_id = excluded.subscription_id,
     provider = excluded.provider, account_id = excluded.account_id, status = excluded.status, status_reason = excluded.status_reason,
     amount_minor = excluded.amount_minor, currency = excluded.currency, reason = excluded.reason,
     metadata = excluded.metadata, fingerprint = excluded.fingerprint, due_at = excluded.due_at,
     updated_at = excluded.updated_at
     where operations.status in ${REFUSED}
   returning ${OPERATION_COLUMNS}`,
).first((record: OperationRecord) => {
  const { merchantId, id, type, paymentId, tokenId, subscriptionId, provider, status, statusReason } = record
  const { amountMinor, currency, reason, metadata, scope, key, fingerprint, dueAt, createdAt } = record
  const about = [merchantId, id, type, paymentId, tokenId, subscriptionId, provider, status, statusReason]
  const asked = [amountMinor, currency, reason, metadata, scope, key, fingerprint, dueAt, createdAt]
  const { accountId, attempt, cause } = record
  return [...about, ...asked, accountId, attempt, cause]
})

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
  (asked: {
    merchantId?: string | undefined
    after?: string | undefined
    status?: OperationStatus | undefined
    paymentId?: string | undefined
    limit: number
  }) => {
    const { merchantId = null, after = null, status = null, paymentId = null, limit } = asked
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
