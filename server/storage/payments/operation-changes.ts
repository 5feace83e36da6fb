import { statement } from '../db.ts'
import { fieldsOf, insertInto, type RecordOf, selected, valuesOf } from '../fields.ts'

const FIELDS = fieldsOf('operation_changes', [
  'merchantId',
  'operationId',
  /** Null for the first line. */
  'fromStatus',
  'toStatus',
  'cause',
  /** The person who decided, if a person did. */
  'actor',
  'detail',
  'createdAt',
])
/** One line of an operation's history. */
export type OperationChangeRecord = RecordOf<'operation_changes', typeof FIELDS>

const COLUMNS = selected(FIELDS)

export const insertOperationChange = statement(
  'insert_operation_change',
  insertInto('operation_changes', FIELDS),
).run(valuesOf('operation_changes', FIELDS))

export const listOperationChanges = statement<OperationChangeRecord>(
  'list_operation_changes',
  `select ${COLUMNS}
   from world.operation_changes where merchant_id = $1 and operation_id = $2 order by created_at, id`,
).all((merchantId: string, operationId: string) => [merchantId, operationId])
