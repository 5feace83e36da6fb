/** The products of a shop: the list, one product with its price, and what people do with them. */
import { may } from '../../acts/policy.ts'
import { remove as removeRow, set } from '../../acts/rows/products.ts'
import { CURRENCIES } from '../../contract/currencies.ts'
import { AppError } from '../../errors.ts'
import type { ProductRecord } from '../../merchants/product.ts'
import { productIdOf } from '../../merchants/product-id.ts'
import { versionOf } from '../../merchants/version.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount, type Locale } from '../../pages/words/locale.ts'
import { parsePrice } from '../../payments/money.ts'
import { findProduct, listProductPage, wasRemoved } from '../../storage/merchants/products.ts'
import { formPage, formPages } from '../form-page.ts'
import { field, hiddenFields } from '../form-parts.ts'
import { findField, listRequestOf, nextOf, noneOf } from '../long-list.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { backTo, narrowScreen, orWhoMay, whoMay, wideScreen } from '../page-parts.ts'
import { typedAmount } from '../typed-amount.ts'
import { translate } from '../words/translate.ts'
import { actFor, type ShopView, shopOf } from '../world.ts'
import { beginBook } from './begin-book.ts'
import { productFields, readProduct } from './product-form.ts'
import { bigPicture, thumbnail } from './product-picture.ts'

const addressOf = ({ path }: ShopView, { id }: Pick<ProductRecord, 'id'>, end = '') =>
  `${path}/products/${encodeURIComponent(id)}${end}`

export function priceOf({ amountMinor, currency, choice }: ProductRecord, locale: Locale): string {
  if (!choice) return formatAmount(amountMinor, currency, locale)
  const [from, to] = [choice.minMinor, choice.maxMinor].map((each) => formatAmount(each, currency, locale))
  return translate(locale, 'productFromTo', { from: from ?? '', to: to ?? '' })
}

const list: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/products',
  needs: 'merchant show',
  async handle(visit) {
    const { locale, query } = visit
    const view = await shopOf(visit)
    const wish = listRequestOf(visit)
    const { rows, next } = await listProductPage(view.ctx.db, { merchantId: view.merchantId, ...wish })
    const title = translate(locale, 'productsTitle')
    const notice = query.done === 'removed' ? translate(locale, 'done_removed') : null
    const body = html`${findField(locale, wish, { next })}
      ${noneOf(locale, wish, { count: rows.length, next, none: 'productsNone' })}
      <ul class="rows">
        ${rows.map((each) => html`<li><a href=${addressOf(view, each)} class="row with-photo">${thumbnail(each)}<strong><bdi>${each.name}</bdi></strong><span>${priceOf(each, locale)}</span></a></li>`)}
      </ul>
      ${nextOf(locale, `${view.path}/products`, wish, next)}
      ${orWhoMay(visit, 'product set', html`<p><a class="button" href=${`${view.path}/add-product`}>${translate(locale, 'productAdd')}</a></p>`)}
      ${backTo(view.path, view.merchant.name)}`
    return wideScreen({ title, body, notice })
  },
}

/** Returns the product. A product of another shop is not found either. @throws AppError not_found */
async function findOwn(visit: OwnVisit): Promise<{ view: ShopView; product: ProductRecord }> {
  const view = await shopOf(visit)
  const product = await findProduct(view.ctx.db, view.merchantId, visit.params.product ?? '')
  if (!product) throw new AppError('not_found')
  return { view, product }
}

const one: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/products/:product',
  needs: 'merchant show',
  handle: async (visit) => productScreen(visit, await findOwn(visit)),
}

type Shown<Product = ProductRecord> = { view: ShopView; product: Product; problem?: string | undefined }

function productScreen(visit: OwnVisit, { view, product, problem }: Shown): Screen {
  const { locale, user, query } = visit
  const price = priceOf(product, locale)
  const done = (['priced', 'changed'] as const).find((each) => each === query.done)
  const notice = done ? translate(locale, `done_${done}`, { price }) : null
  const body = html`${bigPicture(product)}
    <p class="lead">${translate(locale, 'productNow', { price })}</p>
    ${may(user, 'product set') ? priceForm(visit, view, product) : whoMay(locale, 'product set')}
    <ul class="ways-on">
      ${may(user, 'product set') ? html`<li><a class="way-on" href=${addressOf(view, product, '/edit')}>${translate(locale, 'productChange')}</a></li>` : null}
      <li><a class="way-on" href=${`${view.path}/share?${new URLSearchParams({ product: product.id })}`}>${translate(locale, 'productShare')}</a></li>
    </ul>
    ${orWhoMay(visit, 'product remove', removeForm(locale, view, product))}
    ${backTo(`${view.path}/products`, translate(locale, 'productsTitle'))}`
  return narrowScreen({ title: product.name, body, isName: true, problem, notice })
}

function priceForm({ locale, form }: OwnVisit, view: ShopView, product: ProductRecord): Markup {
  const { amountMinor, currency } = product
  return html`<form method="post" action=${addressOf(view, product, '/price')} class="fields">
    ${hiddenFields({ seen: versionOf(product) })}
    ${field({ name: 'price', label: `${translate(locale, 'productPrice')}, ${currency}`, value: form.price ?? typedAmount(amountMinor, currency), inputmode: 'decimal', hint: translate(locale, CURRENCIES[currency].isWhole ? 'productPriceWhole' : 'productPriceHint') })}
    <button class="button">${translate(locale, 'productPriceSave')}</button>
  </form>`
}

function removeForm(locale: Locale, view: ShopView, product: ProductRecord): Markup {
  return html`<details class="more">
    <summary>${translate(locale, 'productRemove')}</summary>
    <form method="post" action=${addressOf(view, product, '/remove')} class="fields">
      ${hiddenFields({ confirm: 'yes' })}
      <p>${translate(locale, 'productRemoveText')}</p>
      <button class="button quiet">${translate(locale, 'productRemoveDo')}</button>
    </form>
  </details>`
}

const setOne = (
  visit: OwnVisit,
  { merchantId, id }: Pick<ProductRecord, 'merchantId' | 'id'>,
  wish: object,
) => actFor(visit, set, `${merchantId} ${id}`, { merchantId, id, ...wish })

const changePrice = formPage({
  path: '/:world/shops/:merchant/products/:product/price',
  needs: 'product set',
  again: async (visit, problem) => productScreen(visit, { ...(await findOwn(visit)), problem }),
  async send(visit) {
    const { view, product } = await findOwn(visit)
    const amountMinor = parsePrice(visit.form.price ?? '', product.currency)
    const { name, currency } = product
    await setOne(visit, product, { name, currency, amountMinor, seen: visit.form.seen ?? '' })
    return addressOf(view, product, '?done=priced')
  },
})

const remove: ConsolePage = {
  method: 'post',
  path: '/:world/shops/:merchant/products/:product/remove',
  needs: 'product remove',
  async handle(visit) {
    const view = await shopOf(visit)
    const { product: id = '' } = visit.params
    const gone = { kind: 'redirect', to: `${view.path}/products?done=removed` } as const
    // A second press finds the product already removed. That is a success too.
    if (await wasRemoved(view.ctx.db, view.merchantId, id)) return gone
    const shown = await findOwn(visit)
    if (visit.form.confirm !== 'yes') return productScreen(visit, shown)
    await actFor(visit, removeRow, `${view.merchantId} ${id}`, { merchantId: view.merchantId, id })
    return gone
  },
}

function formScreen(visit: OwnVisit, { view, product, problem }: Shown<ProductRecord | null>): Screen {
  const { locale } = visit
  const title = product
    ? translate(locale, 'productChangeTitle', { name: product.name })
    : translate(locale, 'productNew')
  const [back, whereTo] = product
    ? [addressOf(view, product), product.name]
    : [`${view.path}/products`, translate(locale, 'productsTitle')]
  const body = html`${product && problem !== undefined ? html`<p class="lead">${translate(locale, 'productNow', { price: priceOf(product, locale) })}</p>` : null}
    <form method="post" enctype="multipart/form-data" class="fields">
      ${hiddenFields({ seen: versionOf(product) })}
      ${productFields(visit, product)}
      <button class="button">${translate(locale, 'productSave')}</button>
    </form>`
  return narrowScreen({ title, body, problem, back: [back, whereTo] })
}

const add = formPages({
  path: '/:world/shops/:merchant/add-product',
  needs: 'product set',
  hasFiles: true,
  again: async (visit, problem) => formScreen(visit, { view: await shopOf(visit), product: null, problem }),
  async send(visit) {
    const { merchantId, path } = await shopOf(visit)
    const id = productIdOf(visit.form.name ?? '') || 'product'
    await setOne(visit, { merchantId, id }, { ...readProduct(visit), seen: 'none' })
    await beginBook(visit, merchantId)
    return `${path}/share?${new URLSearchParams({ product: id, done: 'added' })}`
  },
})

const edit = formPages({
  path: '/:world/shops/:merchant/products/:product/edit',
  needs: 'product set',
  hasFiles: true,
  again: async (visit, problem) => formScreen(visit, { ...(await findOwn(visit)), problem }),
  async send(visit) {
    const { view, product } = await findOwn(visit)
    await setOne(visit, product, { ...readProduct(visit), seen: visit.form.seen ?? '' })
    return addressOf(view, product, '?done=changed')
  },
})

export const PRODUCT_PAGES: readonly ConsolePage[] = [list, one, changePrice, remove, ...add, ...edit]
