/** Operations whose write was noted as sent, and certainly never left. */
import { type Queryable, statement } from '../db.ts'
import type { OperationRecord } from './operations.ts'

const untell = statement(
  'untell_operation',
  `update world.operations set before = null, told_at = null
   where merchant_id = $1 and id = $2 and told_at = $3 and status = 'processing'`,
)

/** Takes the note back, so that the write is sent as if for the first time. */
export async function untellOperation(
  db: Queryable,
  { merchantId, id, toldAt }: Pick<OperationRecord, 'merchantId' | 'id' | 'toldAt'>,
): Promise<void> {
  await untell(db, [merchantId, id, toldAt])
}
