/** The saved methods of one merchant. */
import { type Queryable, statement } from '../db.ts'
import { SAVED_METHOD_COLUMNS, type SavedMethodRecord } from './saved-methods.ts'

const live = statement<SavedMethodRecord>(
  'list_live_payment_method_tokens',
  `select ${SAVED_METHOD_COLUMNS} from world.saved_methods
   where merchant_id = $1 and account_id = $2 and status in ('pending', 'active') order by id`,
)

/** Lists those of this merchant that this account keeps, or is about to keep, the oldest first. */
export async function listLiveSavedMethods(
  db: Queryable,
  { merchantId, accountId }: Pick<SavedMethodRecord, 'merchantId' | 'accountId'>,
): Promise<SavedMethodRecord[]> {
  return live(db, [merchantId, accountId])
}
