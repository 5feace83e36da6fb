/** The merchants that may use an account of the deployment's that is not shared. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

const FIELDS = fieldsOf('account_merchants', ['accountId', 'merchantId', 'allowedAt'])
export type AccountMerchantRecord = RecordOf<'account_merchants', typeof FIELDS>

const COLUMNS = selected(FIELDS)

const others = statement<{ found: boolean }>(
  'find_other_merchant',
  'select exists (select from kassa.merchants where id <> $1) as found',
)

export const listAccountMerchants = statement<AccountMerchantRecord>(
  'list_account_merchants',
  `select ${COLUMNS} from world.account_merchants
   order by account_id, merchant_id`,
).all()

export const insertAccountMerchant = statement(
  'insert_account_merchant',
  `insert into world.account_merchants (account_id, merchant_id, allowed_at) values ($1, $2, $3) on conflict do nothing`,
).run(({ accountId, merchantId, allowedAt }: AccountMerchantRecord) => [accountId, merchantId, allowedAt])

export const deleteAccountMerchant = statement(
  'delete_account_merchant',
  'delete from world.account_merchants where account_id = $1 and merchant_id = $2',
).run(({ accountId, merchantId }: Omit<AccountMerchantRecord, 'allowedAt'>) => [accountId, merchantId])

/** Whether the deployment has no other merchant than this one. */
export async function isOnlyMerchant(db: Queryable, merchantId: string): Promise<boolean> {
  return !(await others(db, [merchantId]))[0]?.found
}

/**
 * Writes down that the deployment's only merchant uses the account, if nobody else was allowed. Two first uses at once write the same
 * row. Returns whether it did.
 */
export const allowOnlyMerchant = statement<{ id: string }>(
  'allow_account_to_only_merchant',
  `insert into world.account_merchants (account_id, merchant_id, allowed_at)
   select $1, $2, $3 where not exists (select from kassa.merchants where id <> $2)
     and not exists (select from world.account_merchants where account_id = $1)
   on conflict do nothing returning merchant_id as id`,
).some(({ accountId, merchantId, allowedAt }: AccountMerchantRecord) => [accountId, merchantId, allowedAt])
