/** The product registry: the products that pay buttons sell, and their prices. */
import { isDeepStrictEqual } from 'node:util'
import { refuseCardData } from '../card-number/card-data.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { notifyOwner } from '../notices/notify.ts'
import { inTransaction } from '../storage/db.ts'
import { insertPicture } from '../storage/merchants/branding.ts'
import { lockMerchant } from '../storage/merchants/merchants.ts'
import {
  findProduct,
  listProductPage,
  listProducts as listProductRecords,
  type ProductRecord,
  removeProduct as removeProductRecord,
  upsertProduct,
  wasRemoved,
} from '../storage/merchants/products.ts'
import { cached } from './cache.ts'
import { getMerchant } from './merchant.ts'
import type { NewPicture } from './picture.ts'
import { checkLimits } from './sale-terms.ts'
import { checkName, checkText } from './text.ts'
import { expectSeen } from './version.ts'

export {
  type AmountChoice,
  type AskedFields,
  BUYER_FIELDS,
  type BuyerField,
  type ProductDisplay,
  type ProductRecord,
} from '../storage/merchants/products.ts'

const ID_MAX_CHARS = 120
const NAME_MAX_CHARS = 200
const DESCRIPTION_MAX_CHARS = 1_000
const LABEL_MAX_CHARS = 80

/** `seen`: the version that the person saw. `none`: only a new product. `picture`: the product's, if it is not stored yet. */
type ChangeOptions = { seen?: string | undefined; picture?: NewPicture | undefined }
type ProductChange = { before: ProductRecord | null; product: ProductRecord }

/** Creates or replaces the product, as `changeProduct` does. */
export const setProduct = async (
  ctx: Context,
  record: ProductRecord,
  options: ChangeOptions = {},
): Promise<ProductRecord> => (await changeProduct(ctx, record, () => record, options)).product

/**
 * Creates or changes the product. Earlier payments keep their price. `merge`: returns the product as it is afterwards. Nobody changes it
 * meanwhile, so two changes at once both stay. A repeated change changes nothing, and is no error.
 * @throws AppError validation_failed for an id or text that is too long, for invalid limits, or if the product has another version
 * by now; not_found for an unknown merchant
 */
export async function changeProduct(
  ctx: Context,
  { merchantId, id }: Pick<ProductRecord, 'merchantId' | 'id'>,
  merge: (before: ProductRecord | null) => ProductRecord,
  { seen, picture }: ChangeOptions,
): Promise<ProductChange> {
  await getMerchant(ctx, merchantId)
  return inTransaction(ctx.db, async (tx) => {
    await lockMerchant(tx, merchantId)
    const before = await findProduct(tx, merchantId, id)
    const product = merge(before)
    checkProduct(product)
    if (seen !== undefined && before && isSameProduct(before, product)) return { before, product }
    if (before && seen === 'none') throw exists(id)
    if (seen !== undefined) expectSeen(before, seen)
    // A removed product that is set again may have another price too.
    const isPriced = before ? !isSamePrice(before, product) : await wasRemoved(tx, merchantId, id)
    if (picture) await insertPicture(tx, picture.record, ctx.clock.now())
    await upsertProduct(tx, product, ctx.clock.now())
    if (isPriced) await notifyOwner(ctx, tx, merchantId, 'price')
    return { before, product }
  })
}

/** Checks what is about to be stored. @throws AppError validation_failed for an id or text that is too long, and for invalid limits */
export function checkProduct(record: ProductRecord): void {
  checkName('id', record.id, ID_MAX_CHARS)
  const { names = {}, description, descriptions = {}, fields = {} } = record.display ?? {}
  for (const name of [record.name, ...Object.values(names)]) checkName('name', name, NAME_MAX_CHARS)
  for (const text of [description, ...Object.values(descriptions)])
    if (text !== undefined) checkText('description', text, DESCRIPTION_MAX_CHARS)
  for (const { labels = {} } of Object.values(fields))
    for (const label of Object.values(labels)) checkName('field label', label, LABEL_MAX_CHARS)
  refuseCardData({ name: record.name, ...record.display }, 'product')
  checkLimits(record)
}

function exists(id: string): AppError {
  const message = `The merchant has another product with the id "${id}".`
  return new AppError('validation_failed', { reason: 'product_exists', message })
}

/** Whether both are sold alike, at the same price. */
export function isSameProduct(one: ProductRecord, other: ProductRecord): boolean {
  return isDeepStrictEqual(whole(one), whole(other))
}

/** Whether a buyer pays the same for both. */
export const isSamePrice = (one: ProductRecord, other: ProductRecord): boolean =>
  one.amountMinor === other.amountMinor &&
  one.currency === other.currency &&
  isDeepStrictEqual(one.choice ?? null, other.choice ?? null)

const whole = (record: ProductRecord) => ({ display: {}, choice: null, maxQuantity: 1, ...record })

/** Returns the product, up to a second old; null if the merchant has no product with this id. */
export const findProductCached = cached((ctx: Context, merchantId: string, id: string) =>
  findProduct(ctx.db, merchantId, id),
)

/** Returns the products of the merchant, or of all merchants, sorted by merchant and id. @throws AppError not_found */
export async function listProducts(ctx: Context, merchantId?: string): Promise<ProductRecord[]> {
  if (merchantId !== undefined) await getMerchant(ctx, merchantId)
  return listProductRecords(ctx.db, merchantId ?? null)
}

/** A page offers no more products than these to choose from. */
export const CHOSEN_MAX = 100
/** Skips the query for a text that no id can contain. */
const ID_TEXT = /^[^\p{Cc}\p{Cs}]{1,200}$/u
/** How often 1,000 products that were removed are passed. */
const PAGES_MAX = 10

/**
 * The products that a page offers: the first ones of the merchant, and those of `ids`, which may be further behind.
 * `hasMore`: there are others.
 */
export async function listProductChoice(
  { db }: Pick<Context, 'db'>,
  merchantId: string,
  ids: readonly string[],
): Promise<{ products: ProductRecord[]; hasMore: boolean }> {
  const wish = { merchantId, part: null, limit: CHOSEN_MAX }
  let page = await listProductPage(db, { ...wish, after: '' })
  for (let pages = 1; page.rows.length === 0 && page.next !== null && pages < PAGES_MAX; pages++)
    page = await listProductPage(db, { ...wish, after: page.next })
  const others = [...new Set(ids)].filter(
    (id) => ID_TEXT.test(id) && !page.rows.some((each) => each.id === id),
  )
  const found = await Promise.all(others.map((id) => findProduct(db, merchantId, id)))
  return { products: [...page.rows, ...found.filter((each) => each !== null)], hasMore: page.next !== null }
}

/** Removes the product from sale. Its payments stay. @throws AppError product_unknown, not_found */
export async function removeProduct(ctx: Context, merchantId: string, id: string): Promise<void> {
  await getMerchant(ctx, merchantId)
  if (!(await removeProductRecord(ctx.db, merchantId, id, ctx.clock.now())))
    throw new AppError('product_unknown', {
      message: `The merchant has no product "${id}".`,
      next: [{ act: 'list_products', merchantId }],
    })
}
