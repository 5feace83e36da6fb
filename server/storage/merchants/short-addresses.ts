/** Short addresses of products. The table's trigger keeps an approved name with its merchant for good. */
import { type Queryable, statement } from '../db.ts'
import { type Page, type PageWish, pagesOf } from '../looked.ts'

export type ShortAddressRecord = {
  /** The primary key: the name with letters that look alike made equal. */
  folded: string
  name: string
  merchantId: string
  installationId: string
  productId: string
  state: 'asked' | 'approved' | 'retired'
  askedAt: Date
  /** The first approval. */
  approvedAt: Date | null
  retiredAt: Date | null
}

const COLUMNS = `folded, name, merchant_id as "merchantId", installation_id as "installationId", product_id as "productId",
  state, asked_at as "askedAt", approved_at as "approvedAt", retired_at as "retiredAt"`

const asked = { columns: COLUMNS, alias: 'a', key: 'folded', lists: () => `state = 'asked'` }
const waiting = pagesOf<ShortAddressRecord>('list_waiting_short_addresses', {
  ...asked,
  from: 'world.short_addresses a where true',
})
const waitingOf = pagesOf<ShortAddressRecord>('list_waiting_short_addresses_of', {
  ...asked,
  from: 'world.short_addresses a where a.merchant_id = $2',
})
const leading = pagesOf<ShortAddressRecord>('list_short_addresses_of_product', {
  ...asked,
  from: 'world.short_addresses a where a.merchant_id = $2',
  lists: (product, installation) => `product_id = ${product} and installation_id = ${installation}`,
})

type Wish = Pick<ShortAddressRecord, 'folded' | 'name' | 'merchantId' | 'installationId' | 'productId'>

/**
 * Stores the wish for a name, or where the merchant's own name leads. A retired name waits for an approval again. Returns null
 * if another merchant has the name, or was faster.
 */
export const askShortAddress = statement<ShortAddressRecord>(
  'ask_short_address',
  `insert into world.short_addresses as known (folded, name, merchant_id, installation_id, product_id, state, asked_at)
   values ($1, $2, $3, $4, $5, 'asked', $6)
   on conflict (folded) do update set installation_id = excluded.installation_id, product_id = excluded.product_id,
     name = case when known.approved_at is null then excluded.name else known.name end,
     state = case when known.state = 'retired' then 'asked' else known.state end, retired_at = null
     where known.merchant_id = excluded.merchant_id
   returning ${COLUMNS}`,
).first(({ folded, name, merchantId, installationId, productId }: Wish, at: Date) => [
  folded,
  name,
  merchantId,
  installationId,
  productId,
  at,
])

/** Counts the names of the merchant that wait for an approval, besides this one. */
export const countWaitingShortAddresses = statement<{ count: number }>(
  'count_waiting_short_addresses',
  `select count(*)::int as count from world.short_addresses where merchant_id = $1 and state = 'asked' and folded <> $2`,
).value('count', 0, (merchantId: string, folded: string) => [merchantId, folded])

/** Approving again changes nothing. Returns null if the merchant has no such name. */
export const approveShortAddress = statement<ShortAddressRecord>(
  'approve_short_address',
  `update world.short_addresses set state = 'approved', approved_at = coalesce(approved_at, $3), retired_at = null
   where folded = $1 and merchant_id = $2 returning ${COLUMNS}`,
).first((folded: string, merchantId: string, at: Date) => [folded, merchantId, at])

/** Returns null if the merchant has no such name, or it was never approved. */
export const retireShortAddress = statement<ShortAddressRecord>(
  'retire_short_address',
  `update world.short_addresses set state = 'retired', retired_at = coalesce(retired_at, $3)
   where folded = $1 and merchant_id = $2 and approved_at is not null returning ${COLUMNS}`,
).first((folded: string, merchantId: string, at: Date) => [folded, merchantId, at])

/** Deletes a wish that was never approved. Returns false if there is none. */
export const forgetShortAddress = statement<{ folded: string }>(
  'forget_short_address',
  'delete from world.short_addresses where folded = $1 and merchant_id = $2 and approved_at is null returning folded',
).some((folded: string, merchantId: string) => [folded, merchantId])

/** `merchantId`: null for all merchants. */
export const listShortAddresses = statement<ShortAddressRecord>(
  'list_short_addresses',
  `select ${COLUMNS} from world.short_addresses where $1::text is null or merchant_id = $1 order by merchant_id, folded`,
).all((merchantId: string | null) => [merchantId])

/** Returns a page of the names that wait for an approval. `merchantId`: null for all merchants. */
export async function listWaitingShortAddresses(
  db: Queryable,
  { merchantId, ...wish }: PageWish & { merchantId: string | null },
): Promise<Page<ShortAddressRecord>> {
  return merchantId === null ? waiting(db, wish) : waitingOf(db, wish, { scope: merchantId })
}

/** Returns a page of the names that lead to a product at one place, whatever their states. */
export async function listShortAddressesOf(
  db: Queryable,
  {
    merchantId,
    productId,
    installationId,
    ...wish
  }: PageWish & Pick<ShortAddressRecord, 'merchantId' | 'productId' | 'installationId'>,
): Promise<Page<ShortAddressRecord>> {
  return leading(db, wish, { scope: merchantId, values: [productId, installationId] })
}

/** Returns where an approved name leads. Returns null if its key was revoked or its product removed. */
export const findShortAddressTarget = statement<{ publicKey: string; productId: string }>(
  'find_short_address_target',
  `select i.public_key as "publicKey", a.product_id as "productId" from world.short_addresses a
     join world.installations i on i.merchant_id = a.merchant_id and i.id = a.installation_id and i.revoked_at is null
     join world.products p on p.merchant_id = a.merchant_id and p.id = a.product_id and p.removed_at is null
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
  ({ merchantId, installationId, productId }: Pick<Wish, 'merchantId' | 'installationId' | 'productId'>) => [
    merchantId,
    installationId,
    productId,
  ],
)
