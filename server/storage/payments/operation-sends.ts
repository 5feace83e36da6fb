/** How often an operation's write was sent again under a key that the provider remembers, and whether it was sent at all. */
import { type Queryable, statement } from '../db.ts'
import { OPERATION_COLUMNS, type OperationRecord } from './operations.ts'

const retell = statement<OperationRecord>(
  'retell_operation',
  `update world.operations set times_told = times_told + 1
   where merchant_id = $1 and id = $2 and told_at = $3 and status = 'processing' and times_told < $4
   returning ${OPERATION_COLUMNS}`,
)
const untell = statement(
  'untell_operation',
  `update world.operations set times_told = times_told - 1,
     before = case when times_told > 1 then before end, told_at = case when times_told > 1 then told_at end
   where merchant_id = $1 and id = $2 and told_at = $3 and status = 'processing'`,
)

type Told = Pick<OperationRecord, 'merchantId' | 'id' | 'toldAt'>

/**
 * Stores that the write is about to be sent again. Returns null if it was sent `timesMax` times, or if the operation has ended.
 */
export async function retellOperation(
  db: Queryable,
  { merchantId, id, toldAt }: Told,
  timesMax: number,
): Promise<OperationRecord | null> {
  return (await retell(db, [merchantId, id, toldAt, timesMax]))[0] ?? null
}

/**
 * Takes one such entry back, because the request certainly was not sent. If no entry is left, the write is sent as if for the
 * first time.
 */
export async function untellOperation(db: Queryable, { merchantId, id, toldAt }: Told): Promise<void> {
  await untell(db, [merchantId, id, toldAt])
}
