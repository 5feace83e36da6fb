/** The merchants that may use an account of the deployment's that is not shared. */
import { type Queryable, statement } from '../db.ts'

export type AccountMerchantRecord = { accountId: string; merchantId: string; allowedAt: Date }

const all = statement<AccountMerchantRecord>(
  'list_account_merchants',
  `select account_id as "accountId", merchant_id as "merchantId", allowed_at as "allowedAt" from world.account_merchants
   order by account_id, merchant_id`,
)
const allow = statement(
  'insert_account_merchant',
  `insert into world.account_merchants (account_id, merchant_id, allowed_at) values ($1, $2, $3) on conflict do nothing`,
)
const forbid = statement(
  'delete_account_merchant',
  'delete from world.account_merchants where account_id = $1 and merchant_id = $2',
)
const others = statement<{ found: boolean }>(
  'find_other_merchant',
  'select exists (select from kassa.merchants where id <> $1) as found',
)
// Under the table's lock of one row a merchant: two first uses at once write the same row.
const allowAlone = statement<{ id: string }>(
  'allow_account_to_only_merchant',
  `insert into world.account_merchants (account_id, merchant_id, allowed_at)
   select $1, $2, $3 where not exists (select from kassa.merchants where id <> $2)
     and not exists (select from world.account_merchants where account_id = $1)
   on conflict do nothing returning merchant_id as id`,
)

export async function listAccountMerchants(db: Queryable): Promise<AccountMerchantRecord[]> {
  return all(db, [])
}

export async function insertAccountMerchant(
  tx: Queryable,
  { accountId, merchantId, allowedAt }: AccountMerchantRecord,
): Promise<void> {
  await allow(tx, [accountId, merchantId, allowedAt])
}

export async function deleteAccountMerchant(
  tx: Queryable,
  { accountId, merchantId }: Omit<AccountMerchantRecord, 'allowedAt'>,
): Promise<void> {
  await forbid(tx, [accountId, merchantId])
}

/** Whether the deployment has no other merchant than this one. */
export async function isOnlyMerchant(db: Queryable, merchantId: string): Promise<boolean> {
  return !(await others(db, [merchantId]))[0]?.found
}

/** Writes down that the deployment's only merchant uses the account, if nobody else was allowed. Returns whether it did. */
export async function allowOnlyMerchant(
  db: Queryable,
  { accountId, merchantId, allowedAt }: AccountMerchantRecord,
): Promise<boolean> {
  return (await allowAlone(db, [accountId, merchantId, allowedAt])).length > 0
}
