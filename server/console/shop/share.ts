/** Selling without a site: the link of a product, its QR code and its poster. Short addresses of before are shown, too. */
import { resultOf } from '../../acts/do.ts'
import { may } from '../../acts/policy.ts'
import { ask, retireShortAddress } from '../../acts/rows/reviews.ts'
import { payUrl } from '../../channels/settings.ts'
import { addressUrl, listAddressesOfProduct, type ShortAddressRecord } from '../../merchants/address.ts'
import { type InstallationRecord, listInstallations } from '../../merchants/installation.ts'
import { CHOSEN_MAX, listProductChoice, type ProductRecord } from '../../merchants/product.ts'
import { ensureInstallation } from '../../operator/shop/installation.ts'
import { listAddressesOf } from '../../operator/shop/reviews.ts'
import { html, type Markup } from '../../pages/html.ts'
import { posterUrl } from '../../pages/install/share.ts'
import { qrCode } from '../../pages/qr-code.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { formPage } from '../form-page.ts'
import { field, hiddenFields, selectField } from '../form-parts.ts'
import { PAGE, positionOf } from '../long-list.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { backTo, narrowScreen, orWhoMay, whoMay } from '../page-parts.ts'
import { addressWith, moreLink } from '../parts.ts'
import { translate } from '../words/translate.ts'
import { actFor, type ShopView, shopOf, writing } from '../world.ts'
import { beginBook } from './begin-book.ts'

const page: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/share',
  needs: 'merchant show',
  handle: (visit) => shareScreen(visit),
}

function noticeText(locale: Locale, done: string | undefined, name = ''): string | null {
  if (done === 'nameEnded') return translate(locale, 'done_nameEnded')
  return done === 'added' ? translate(locale, 'done_added', { name }) : null
}

type Sold = { product: ProductRecord; installation: InstallationRecord }

async function shareScreen(visit: OwnVisit, problem?: string): Promise<Screen> {
  const { locale, query, form } = visit
  const view = await shopOf(visit)
  const { ctx, merchantId } = view
  const values = { ...query, ...form }
  const [{ products, hasMore }, all] = await Promise.all([
    listProductChoice(ctx, merchantId, [values.product ?? '']),
    listInstallations(ctx, merchantId),
  ])
  const places = all.filter(({ revokedAt }) => !revokedAt)
  const product = products.find(({ id }) => id === values.product) ?? products[0]
  const installation = places.find(({ id }) => id === values.installation) ?? places[0]
  const installations = places.filter((each, at) => at < CHOSEN_MAX || each === installation)
  const title = translate(locale, 'shareTitle')
  const body = html`${product && installation ? html`${choices(visit, view, { products, installations, product, installation, hasMore, hasMorePlaces: places.length > installations.length })}${await soldPart(visit, view, { product, installation })}` : missing(visit, view, product)}
    ${backTo(view.path, view.merchant.name)}`
  return narrowScreen({ title, body, problem, notice: noticeText(locale, query.done, product?.name) })
}

/** Creates what the link still needs, so that the next screen shows the link. */
function missing(visit: OwnVisit, view: ShopView, product: ProductRecord | undefined): Markup {
  const { locale, user, form } = visit
  if (product) {
    if (!may(user, 'installation create')) return whoMay(locale, 'installation create')
    const address = form.address ?? ''
    return html`<p class="lead">${translate(locale, 'shareNoKey')}</p>
      <form method="post" action=${`${view.path}/share/place`} class="fields">
        ${hiddenFields({ product: product.id })}
        ${field({ name: 'address', label: translate(locale, 'domainAddress'), value: address, inputmode: 'url', hint: translate(locale, 'domainAddressHint') })}
        <button class="button">${translate(locale, 'shareMake')}</button>
      </form>`
  }
  return html`<p class="lead">${translate(locale, 'shareNoProduct')}</p>
    ${may(user, 'product set') ? html`<p><a class="button" href=${`${view.path}/add-product`}>${translate(locale, 'productAdd')}</a></p>` : whoMay(locale, 'product set')}`
}

type Choices = Sold & {
  products: ProductRecord[]
  installations: InstallationRecord[]
  hasMore: boolean
  hasMorePlaces: boolean
}

function choices({ locale }: OwnVisit, { path }: ShopView, given: Choices): Markup {
  const { products, installations, product, installation, hasMore, hasMorePlaces } = given
  if (products.length < 2 && installations.length < 2) return null
  const places = installations.map(
    (each) => [each.id, each.origins.join(', ') || each.shopUrl || each.id] as const,
  )
  return html`<form method="get" action=${`${path}/share`} class="fields">
    ${selectField(
      'product',
      translate(locale, 'shareProduct'),
      products.map(({ id, name }) => [id, name] as const),
      product.id,
    )}
    ${hasMore ? html`<p class="hint">${translate(locale, 'shareMore')} <a href=${`${path}/products`}>${translate(locale, 'productsTitle')}</a></p>` : null}
    ${installations.length > 1 ? selectField('installation', translate(locale, 'sharePlace'), places, installation.id) : null}
    ${hasMorePlaces ? html`<p class="hint">${translate(locale, 'sharePlacesMore')} <a href=${`${path}/domains`}>${translate(locale, 'domainsTitle')}</a></p>` : null}
    <button class="button quiet">${translate(locale, 'show')}</button>
  </form>`
}

async function soldPart(visit: OwnVisit, view: ShopView, { product, installation }: Sold): Promise<Markup> {
  const { locale, query } = visit
  const { ctx, merchantId, path } = view
  const here = { product: product.id, installation: installation.id }
  const url = payUrl(ctx, installation.publicKey, product.id)
  const names = await listAddressesOfProduct(ctx, {
    merchantId,
    productId: product.id,
    installationId: installation.id,
    after: positionOf(query.name),
    limit: PAGE,
  })
  return html`<h2><bdi>${product.name}</bdi></h2>
    <p class="pay-link"><a href=${url}>${url}</a></p>
    <div class="share-code">${qrCode(url, translate(locale, 'shareCode', { name: product.name }))}</div>
    <h2>${translate(locale, 'sharePoster')}</h2>
    <p><a class="button" href=${ctx.baseUrl + posterUrl(installation, product, locale)}>${translate(locale, 'sharePosterOpen')}</a></p>
    <p class="hint">${translate(locale, 'sharePosterHint')}</p>
    ${names.rows.length > 0 ? html`<h2>${translate(locale, 'shareShort')}</h2>` : null}
    <ul class="cards">${names.rows.map((each) => nameCard(visit, view, each))}</ul>
    ${moreLink(locale, names.next && addressWith(`${path}/share`, { ...here, name: names.next }))}`
}

function nameCard(visit: OwnVisit, { ctx, path }: ShopView, record: ShortAddressRecord): Markup {
  const { locale } = visit
  const { name, state } = record
  const end = html`<form method="post" action=${`${path}/share/retire`}>
    ${hiddenFields({ name, product: record.productId, installation: record.installationId })}
    <button class="button quiet">${translate(locale, 'nameEnd')}</button>
  </form>`
  return html`<li class="card" data-state=${state}>
    <p class="address"><strong><bdi>${addressUrl(ctx, name)}</bdi></strong></p>
    <p>${translate(locale, `name_${state}`)}</p>
    ${state === 'retired' ? null : orWhoMay(visit, 'address retire', html`<div class="acts">${end}</div>`)}
  </li>`
}

const retire = formPage({
  path: '/:world/shops/:merchant/share/retire',
  needs: 'address retire',
  again: shareScreen,
  async send(visit) {
    const { merchantId, path } = await shopOf(visit)
    const { name = '', product = '', installation = '' } = visit.form
    await actFor(visit, retireShortAddress, merchantId, { merchantId, name })
    return `${path}/share?${new URLSearchParams({ product, installation, done: 'nameEnded' })}`
  },
})

/** Where the shop sells. With test money its links work at once, and somebody reviews the place meanwhile. */
const place = formPage({
  path: '/:world/shops/:merchant/share/place',
  needs: 'installation create',
  again: shareScreen,
  async send(visit) {
    const view = await shopOf(visit)
    const { merchantId, path } = view
    const { address = '', product = '' } = visit.form
    const request = await actFor(visit, ask, merchantId, { merchantId, address })
    const origin = resultOf(request).facts.origin
    // For real money the review comes first.
    const known = (await listAddressesOf(view.ctx, merchantId)).find((each) => each.origin === origin)
    if (view.world === 'live' && known?.state !== 'approved') return `${path}/domains?done=asked`
    await ensureInstallation(writing(visit, 'installation create', merchantId), merchantId, address)
    await beginBook(visit, merchantId)
    return addressWith(`${path}/share`, { product })
  },
})

export const SHARE_PAGES: readonly ConsolePage[] = [page, retire, place]
