import type { OperationStatus } from '../../contract/operation.ts'
import { type Queryable, statement } from '../db.ts'
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

const insert = statement(
  'insert_operation_change',
  `insert into world.operation_changes (merchant_id, operation_id, from_status, to_status, cause, actor, detail, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)
const ofOperation = statement<OperationChangeRecord>(
  'list_operation_changes',
  `select merchant_id as "merchantId", operation_id as "operationId", from_status as "fromStatus",
     to_status as "toStatus", cause, actor, detail, created_at as "createdAt"
   from world.operation_changes where merchant_id = $1 and operation_id = $2 order by created_at, id`,
)

export async function insertOperationChange(tx: Queryable, record: OperationChangeRecord): Promise<void> {
  const { merchantId, operationId, fromStatus, toStatus, cause, actor, detail, createdAt } = record
  await insert(tx, [merchantId, operationId, fromStatus, toStatus, cause, actor, detail, createdAt])
}

export async function listOperationChanges(
  db: Queryable,
  merchantId: string,
  operationId: string,
): Promise<OperationChangeRecord[]> {
  return ofOperation(db, [merchantId, operationId])
}
