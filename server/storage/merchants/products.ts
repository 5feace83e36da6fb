import type { CurrencyCode, ProviderRoute } from '../../contract/fields.ts'
import { type Queryable, statement } from '../db.ts'

export type ProductRecord = {
  merchantId: string
  id: string
  name: string
  amountMinor: number
  currency: CurrencyCode
  /** The route of its payments. Null: the installation's route, or else the default route of the service. */
  provider: ProviderRoute | null
}

const COLUMNS = `merchant_id as "merchantId", id, name, amount_minor as "amountMinor", currency, provider`

const upsert = statement(
  'upsert_product',
  `insert into world.products (merchant_id, id, name, amount_minor, currency, provider, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (merchant_id, id) do update set name = excluded.name, amount_minor = excluded.amount_minor,
     currency = excluded.currency, provider = excluded.provider, updated_at = excluded.updated_at, removed_at = null`,
)
const byId = statement<ProductRecord>(
  'find_product',
  `select ${COLUMNS} from world.products where merchant_id = $1 and id = $2 and removed_at is null`,
)
const ofMerchant = statement<ProductRecord>(
  'list_products',
  `select ${COLUMNS} from world.products where ($1::text is null or merchant_id = $1) and removed_at is null order by merchant_id, id`,
)
const remove = statement<{ id: string }>(
  'remove_product',
  `update world.products set removed_at = $3 where merchant_id = $1 and id = $2 and removed_at is null returning id`,
)

export async function upsertProduct(db: Queryable, record: ProductRecord, at: Date): Promise<void> {
  const { merchantId, id, name, amountMinor, currency, provider } = record
  await upsert(db, [merchantId, id, name, amountMinor, currency, provider, at])
}

export async function findProduct(
  db: Queryable,
  merchantId: string,
  id: string,
): Promise<ProductRecord | null> {
  return (await byId(db, [merchantId, id]))[0] ?? null
}

/** `merchantId`: null for all merchants. */
export async function listProducts(db: Queryable, merchantId: string | null): Promise<ProductRecord[]> {
  return ofMerchant(db, [merchantId])
}

/** Returns false if there was no such product. Payments for the product are not changed. */
export async function removeProduct(
  db: Queryable,
  merchantId: string,
  id: string,
  at: Date,
): Promise<boolean> {
  return (await remove(db, [merchantId, id, at])).length > 0
}
