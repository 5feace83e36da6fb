import { type Queryable, statement } from '../db.ts'
import { asJson, fieldsOf, insertInto, type RecordOf, replaced, selected } from '../fields.ts'
import { type Page, type PageRequest, pagesOf } from '../looked.ts'
import type { Picture, Texts } from './branding.ts'

/** What a product's pages can ask the buyer, in the order of the page. */
export const BUYER_FIELDS = ['name', 'phone', 'address', 'note'] as const
export type BuyerField = (typeof BUYER_FIELDS)[number]
/** `labels`: the shop's own words by language; our own words in the others. */
export type AskedField = { isRequired: boolean; labels?: Texts }
export type AskedFields = { [Field in BuyerField]?: AskedField }

/** What buyers see of a product beside its name. `names`, `descriptions`: by language, where they differ. */
export type ProductDisplay = {
  names?: Texts
  description?: string
  descriptions?: Texts
  picture?: Picture
  fields?: AskedFields
}

/** The limits of an amount that the buyer chooses: `minMinor`, one step more, and so on up to `maxMinor`. */
export type AmountChoice = {
  minMinor: number
  maxMinor: number
  stepMinor: number
  suggestedMinor: readonly number[]
}

const FIELDS = fieldsOf('products', [
  'merchantId',
  'id',
  'name',
  /** The price of one. Where the buyer chooses the amount: the amount that is filled in. */
  'amountMinor',
  'currency',
  /** The route of its payments. Null: the installation's route, or else the default route of the service. */
  'provider',
])
const CHOICE = fieldsOf('products', ['minMinor', 'maxMinor', 'stepMinor', 'suggestedMinor'])
export type ProductRecord = RecordOf<'products', typeof FIELDS> & {
  display?: ProductDisplay
  /** Set where the buyer chooses the amount. */
  choice?: AmountChoice | null
  /** How many a buyer may take at once. One, unless it says otherwise. */
  maxQuantity?: number
}

const COLUMNS = `${selected(FIELDS)}, display, max_quantity as "maxQuantity",
  case when min_minor is null then null else ${asJson(CHOICE)} end as choice`

const NEW = fieldsOf('products', [...FIELDS, 'display', ...CHOICE, 'maxQuantity', 'updatedAt'])
const INSERT = insertInto('products', NEW)
const CHANGED = NEW.filter((each) => each !== 'merchantId' && each !== 'id')

const page = pagesOf<ProductRecord>('list_product_page', {
  columns: COLUMNS,
  from: 'world.products p where p.merchant_id = $2',
  alias: 'p',
  key: 'id',
  lists: (part) => `removed_at is null
    and (${part}::text is null or id = ${part} or strpos(lower(name), lower(${part})) > 0)`,
})

/** Returns whether the product was sold earlier, and is no longer sold. */
export const wasRemoved = statement<{ id: string }>(
  'find_removed_product',
  'select id from world.products where merchant_id = $1 and id = $2 and removed_at is not null',
).some((merchantId: string, id: string) => [merchantId, id])

export const upsertProduct = statement(
  'upsert_product',
  `${INSERT}
   on conflict (merchant_id, id) do update set ${replaced(CHANGED)}, removed_at = null`,
).run((record: ProductRecord, at: Date) => valuesOf(record, at))

/** Returns false and changes nothing if the merchant has the product, or has removed it from sale. */
export const insertProduct = statement<{ id: string }>(
  'insert_product',
  `${INSERT} on conflict (merchant_id, id) do nothing returning id`,
).some((record: ProductRecord, at: Date) => valuesOf(record, at))

function valuesOf(record: ProductRecord, at: Date): unknown[] {
  const {
    merchantId,
    id,
    name,
    amountMinor,
    currency,
    provider,
    display = {},
    choice,
    maxQuantity = 1,
  } = record
  const sold = [merchantId, id, name, amountMinor, currency, provider, JSON.stringify(display)]
  const limits = [choice?.minMinor ?? null, choice?.maxMinor ?? null, choice?.stepMinor ?? null]
  return [...sold, ...limits, choice?.suggestedMinor ?? [], maxQuantity, at]
}

export const findProduct = statement<ProductRecord>(
  'find_product',
  `select ${COLUMNS} from world.products where merchant_id = $1 and id = $2 and removed_at is null`,
).first((merchantId: string, id: string) => [merchantId, id])

/** `merchantId`: null for all merchants. */
export const listProducts = statement<ProductRecord>(
  'list_products',
  `select ${COLUMNS} from world.products where ($1::text is null or merchant_id = $1) and removed_at is null order by merchant_id, id`,
).all((merchantId: string | null) => [merchantId])

export const sellsAnything = statement(
  'find_any_product',
  'select from world.products where merchant_id = $1 and removed_at is null limit 1',
).some((merchantId: string) => [merchantId])

/** Returns a page of the merchant's products by their ids. `part`: of the name, or the whole id; null for all products. */
export async function listProductPage(
  db: Queryable,
  { merchantId, part, ...wish }: PageRequest & { merchantId: string; part: string | null },
): Promise<Page<ProductRecord>> {
  return page(db, wish, { scope: merchantId, values: [part] })
}

/** Returns false if there was no such product. Payments for the product are not changed. */
export const removeProduct = statement<{ id: string }>(
  'remove_product',
  `update world.products set removed_at = $3 where merchant_id = $1 and id = $2 and removed_at is null returning id`,
).some((merchantId: string, id: string, at: Date) => [merchantId, id, at])
