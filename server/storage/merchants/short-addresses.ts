/** Short addresses of products. The table's trigger keeps an approved name with its merchant for good. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import { type Page, type PageRequest, pagesOf } from '../looked.ts'

const FIELDS = fieldsOf('short_addresses', [
  /** The primary key: the name with letters that look alike made equal. */
  'folded',
  'name',
  'merchantId',
  'installationId',
  'productId',
  'state',
  'askedAt',
  /** The first approval. */
  'approvedAt',
  'retiredAt',
])
export type ShortAddressRecord = RecordOf<'short_addresses', typeof FIELDS>

const COLUMNS = selected(FIELDS)

const leading = pagesOf<ShortAddressRecord>('list_short_addresses_of_product', {
  columns: COLUMNS,
  alias: 'a',
  key: 'folded',
  from: 'world.short_addresses a where a.merchant_id = $2',
  lists: (product, installation) => `product_id = ${product} and installation_id = ${installation}`,
})

/** Returns null if the merchant has no such name, or it was never approved. */
export const retireShortAddress = statement<ShortAddressRecord>(
  'retire_short_address',
  `update world.short_addresses set state = 'retired', retired_at = coalesce(retired_at, $3)
   where folded = $1 and merchant_id = $2 and approved_at is not null returning ${COLUMNS}`,
).first((folded: string, merchantId: string, at: Date) => [folded, merchantId, at])

/** Deletes a name that was never approved. Returns false if there is none. */
export const forgetShortAddress = statement<{ folded: string }>(
  'forget_short_address',
  'delete from world.short_addresses where folded = $1 and merchant_id = $2 and approved_at is null returning folded',
).some((folded: string, merchantId: string) => [folded, merchantId])

/** `merchantId`: null for all merchants. */
export const listShortAddresses = statement<ShortAddressRecord>(
  'list_short_addresses',
  `select ${COLUMNS} from world.short_addresses where $1::text is null or merchant_id = $1 order by merchant_id, folded`,
).all((merchantId: string | null) => [merchantId])

/** Returns a page of the names that lead to a product at one place, whatever their states. */
export async function listShortAddressesOf(
  db: Queryable,
  {
    merchantId,
    productId,
    installationId,
    ...wish
  }: PageRequest & Pick<ShortAddressRecord, 'merchantId' | 'productId' | 'installationId'>,
): Promise<Page<ShortAddressRecord>> {
  return leading(db, wish, { scope: merchantId, values: [productId, installationId] })
}

/** Returns where an approved name leads. Returns null if its merchant is closed, its key was revoked or its product removed. */
export const findShortAddressTarget = statement<{ publicKey: string; productId: string }>(
  'find_short_address_target',
  `select i.public_key as "publicKey", a.product_id as "productId" from world.short_addresses a
     join world.installations i on i.merchant_id = a.merchant_id and i.id = a.installation_id and i.revoked_at is null
     join world.products p on p.merchant_id = a.merchant_id and p.id = a.product_id and p.removed_at is null
     join kassa.merchants m on m.id = a.merchant_id and m.state <> 'closed'
   where a.folded = $1 and a.state = 'approved'`,
).first((folded: string) => [folded])

/** Returns the shortest approved name that leads to this product. */
export const findShortAddressOf = statement<{ name: string }>(
  'find_short_address_of_product',
  `select name from world.short_addresses
   where merchant_id = $1 and installation_id = $2 and product_id = $3 and state = 'approved'
   order by char_length(name), folded limit 1`,
).value(
  'name',
  null,
  ({
    merchantId,
    installationId,
    productId,
  }: Pick<ShortAddressRecord, 'merchantId' | 'installationId' | 'productId'>) => [
    merchantId,
    installationId,
    productId,
  ],
)
