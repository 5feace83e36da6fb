/** Refunds that succeeded first, and that failed later according to the provider. */
import { type Queryable, statement } from '../db.ts'
import { OPERATION_COLUMNS, type OperationRecord } from './operations.ts'

const undo = statement<OperationRecord>(
  'undo_refund',
  `update world.operations set undone_at = $3, status_reason = $4, updated_at = $3
   where merchant_id = $1 and id = $2 and undone_at is null returning ${OPERATION_COLUMNS}`,
)

/** Returns null, and writes nothing, if the failure is stored already. */
export async function undoRefund(
  tx: Queryable,
  { merchantId, id }: Pick<OperationRecord, 'merchantId' | 'id'>,
  { at, detail }: { at: Date; detail: string },
): Promise<OperationRecord | null> {
  return (await undo(tx, [merchantId, id, at, detail]))[0] ?? null
}
