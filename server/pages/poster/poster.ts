/** The poster of a product, and the short addresses that buyers type from it. They lead only to our own pay pages. */
import { payUrl } from '../../channels/settings.ts'
import type { World } from '../../contract/health.ts'
import { cost } from '../../limits/cost.ts'
import { findAddressTarget, findAddressUrl } from '../../merchants/address.ts'
import { findActiveInstallation } from '../../merchants/installation.ts'
import { listProductChoice } from '../../merchants/product.ts'
import { type Brand, findBrand } from '../brand/brand.ts'
import { unknownKeyPage } from '../install/install-page.ts'
import type { PageEndpoint } from '../page-endpoint.ts'
import { LOCALES, type Locale } from '../words/locale.ts'
import { readPosterChoice } from './choice.ts'
import { posterPage } from './poster-page.ts'

/** A poster of one product, with its short address if it has one, and a QR code. */
export const poster: PageEndpoint = {
  method: 'get',
  path: '/install/:publicKey/poster',
  stranger: { body: 0, once: cost(5), flood: cost(2) },
  async handle(ctx, { params, query, locale, localeLinks }) {
    const view = { locale, localeLinks, mode: ctx.world }
    const installation = await findActiveInstallation(ctx, params.publicKey ?? '')
    if (!installation) return { kind: 'page', status: 404, html: unknownKeyPage(view) }
    const { merchantId, id: installationId, publicKey } = installation
    const { products, hasMore } = await listProductChoice(ctx, merchantId, [query.product ?? ''])
    const product = products.find(({ id }) => id === query.product) ?? products[0]
    if (!product) return { kind: 'message', message: 'not_offered', status: 404 }
    const link = payUrl(ctx, publicKey, product.id)
    const shortUrl = await findAddressUrl(ctx, { merchantId, installationId, productId: product.id })
    // The first look-up of the branding serves the other languages too.
    const brands = Object.fromEntries(
      await Promise.all(LOCALES.map(async (each) => [each, await findBrand(ctx, merchantId, each)] as const)),
    ) as Record<Locale, Brand>
    const shown = {
      ...view,
      publicKey,
      chosenLocale: LOCALES.find((each) => each === query.locale),
      brands,
      products,
      hasMore,
      product,
      choice: readPosterChoice(query, locale),
      address: shortUrl ?? link,
      codeAddress: shorter(link, shortUrl),
    }
    return { kind: 'page', html: posterPage(shown) }
  },
}

/** A name in Russian or Armenian letters is longer than the link once it is encoded, and a longer code has smaller modules. */
function shorter(link: string, shortUrl: string | null): string {
  const encoded = shortUrl === null ? link : new URL(shortUrl).href
  return encoded.length < link.length ? encoded : link
}

/** A stranger gets the same page for a name that never existed, one that waits and one that was retired. */
const shortAddress = (world: World, path: string): PageEndpoint => ({
  world,
  method: 'get',
  path,
  stranger: { body: 0, once: cost(1), flood: cost(1) },
  async handle(ctx, { params, chosenLocale }) {
    const target = await findAddressTarget(ctx, params.name ?? '')
    if (!target) return { kind: 'message', message: 'no_address', status: 404 }
    const path = [target.publicKey, target.productId].map(encodeURIComponent).join('/')
    return { kind: 'redirect', url: `/pay/${path}${chosenLocale}`, status: 302 }
  },
})

export const SHORT_ADDRESSES: readonly PageEndpoint[] = [
  shortAddress('sandbox', '/p/test/:name'),
  shortAddress('live', '/p/:name'),
]
