/** The saved methods of one merchant. */
import { statement } from '../db.ts'
import { SAVED_METHOD_COLUMNS, type SavedMethodRecord } from './saved-methods.ts'

/** Lists those of this merchant that this account keeps, or is about to keep, the oldest first. */
export const listLiveSavedMethods = statement<SavedMethodRecord>(
  'list_live_payment_method_tokens',
  `select ${SAVED_METHOD_COLUMNS} from world.saved_methods
   where merchant_id = $1 and account_id = $2 and status in ('pending', 'active') order by id`,
).all(({ merchantId, accountId }: Pick<SavedMethodRecord, 'merchantId' | 'accountId'>) => [
  merchantId,
  accountId,
])
