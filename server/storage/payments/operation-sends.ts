/** How often an operation's write was sent again under a key that the provider remembers, and whether it was sent at all. */
import { statement } from '../db.ts'
import { OPERATION_COLUMNS, type OperationRecord } from './operations.ts'

type SentOperation = Pick<OperationRecord, 'merchantId' | 'id' | 'sentAt'>

/**
 * Stores that the write is about to be sent again. Returns null if it was sent `timesMax` times, or if the operation has ended.
 */
export const markOperationResent = statement<OperationRecord>(
  'mark_operation_resent',
  `update world.operations set send_count = send_count + 1
   where merchant_id = $1 and id = $2 and sent_at = $3 and status = 'processing' and send_count < $4
   returning ${OPERATION_COLUMNS}`,
).first(({ merchantId, id, sentAt }: SentOperation, timesMax: number) => [merchantId, id, sentAt, timesMax])

/**
 * Takes one such entry back, because the request certainly was not carried out. If no entry is left, the write is sent as if for the
 * first time. A provider may repeat a refusal for the same id, so a refusal is then counted for the next id; while another entry is
 * left, the id stays. Returns null if the operation has ended.
 */
export const unmarkOperationSent = statement<OperationRecord>(
  'unmark_operation_sent',
  `update world.operations set send_count = send_count - 1, not_taken_since = coalesce(not_taken_since, $4),
     refused_times = refused_times + case when $5 and send_count = 1 then 1 else 0 end,
     snapshot_before = case when send_count > 1 then snapshot_before end, sent_at = case when send_count > 1 then sent_at end
   where merchant_id = $1 and id = $2 and sent_at = $3 and status = 'processing' returning ${OPERATION_COLUMNS}`,
).first(
  ({ merchantId, id, sentAt }: SentOperation, { now, isRefused }: { now: Date; isRefused: boolean }) => [
    merchantId,
    id,
    sentAt,
    now,
    isRefused,
  ],
)

/** Returns those of the operations that have succeeded or failed, or wait for a person. */
export const listDecidedOperations = statement<{ id: string }>(
  'list_decided_operations',
  `select o.id from unnest($1::text[], $2::text[]) as w (merchant_id, id)
   join world.operations o on o.merchant_id = w.merchant_id and o.id = w.id
   where o.status not in ('queued', 'processing')`,
).all((operations: readonly Pick<OperationRecord, 'merchantId' | 'id'>[]) => [
  operations.map(({ merchantId }) => merchantId),
  operations.map(({ id }) => id),
])
