import type { OperationStatus } from '../../contract/operation.ts'
import { statement } from '../db.ts'
import type { OperationRecord } from './operations.ts'

/** One line of an operation's history. */
export type OperationChangeRecord = {
  merchantId: string
  operationId: string
  /** Null for the first line. */
  fromStatus: OperationStatus | null
  toStatus: OperationStatus
  cause: OperationRecord['cause'] | 'provider' | 'operator'
  /** The person who decided, if a person did. */
  actor: string | null
  detail: string | null
  createdAt: Date
}

export const insertOperationChange = statement(
  'insert_operation_change',
  `insert into world.operation_changes (merchant_id, operation_id, from_status, to_status, cause, actor, detail, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
).run((record: OperationChangeRecord) => {
  const { merchantId, operationId, fromStatus, toStatus, cause, actor, detail, createdAt } = record
  return [merchantId, operationId, fromStatus, toStatus, cause, actor, detail, createdAt]
})

export const listOperationChanges = statement<OperationChangeRecord>(
  'list_operation_changes',
  `select merchant_id as "merchantId", operation_id as "operationId", from_status as "fromStatus",
     to_status as "toStatus", cause, actor, detail, created_at as "createdAt"
   from world.operation_changes where merchant_id = $1 and operation_id = $2 order by created_at, id`,
).all((merchantId: string, operationId: string) => [merchantId, operationId])
