import { productIn } from '../../channels/doctor/snippet.ts'
import { type ChannelSettings, describeChannel } from '../../channels/settings.ts'
import { pinnedWidget } from '../../channels/widget-release.ts'
import { cost } from '../../limits/cost.ts'
import { findActiveInstallation } from '../../merchants/installation.ts'
import { listProductChoice } from '../../merchants/product.ts'
import { findBrand } from '../brand/brand.ts'
import { linksTo, type PageEndpoint } from '../page-endpoint.ts'
import type { Locale } from '../words/locale.ts'
import { readChoice, readReturn } from './choice.ts'
import { examine, keptOf } from './doctor.ts'
import { installPage, unknownKeyPage } from './install-page.ts'

/** A page's policy and its snippet, in any script. */
const FORM_BYTES_MAX = 32 * 1024

/** The public key gives access. It is in every page that uses it, and nothing on the install page is secret either. */
export const install: PageEndpoint = {
  method: 'get',
  path: '/install/:publicKey',
  stranger: { body: 0, once: cost(7), flood: cost(5) },
  async handle(ctx, { method, path, params, query, form, locale, localeLinks }) {
    const view = { locale, localeLinks, mode: ctx.world }
    const installation = await findActiveInstallation(ctx, params.publicKey ?? '')
    if (!installation) return { kind: 'page', status: 404, html: unknownKeyPage(view) }
    const brand = await findBrand(ctx, installation.merchantId, locale)
    const isForm = method === 'post'
    const values = isForm ? form : query
    const named = [query.product ?? '', productIn(values.code ?? '')]
    const { products, hasMore } = await listProductChoice(ctx, installation.merchantId, named)
    const pinned = await pinnedWidget(ctx)
    const described = await describeChannel(ctx, installation, { pinned, products })
    const channel = inLanguage({ ...described, merchantName: brand.name }, locale)
    const choice = readChoice(channel, query, locale, brand)
    const { returnUrl } = readReturn(channel, query)
    const examination = examine(installation, channel, { entered: values, isForm, returnUrl })
    const kept = keptOf(query, { site: values.site, origin: examination?.origin })
    const shown = {
      ...view,
      localeLinks: linksTo(path, kept),
      channel,
      hasMore,
      choice,
      query,
      entered: values,
      kept,
      examination,
    }
    return { kind: 'page', html: installPage(shown) }
  },
}

/** The doctor's form may contain a secret by mistake. So it is posted, and no address contains it. Nothing is stored. */
export const installCheck: PageEndpoint = {
  ...install,
  method: 'post',
  formBytesMax: FORM_BYTES_MAX,
  stranger: { body: FORM_BYTES_MAX, once: cost(7), flood: cost(5) },
}

/**
 * Returns the names of the products in the language of this page's visitor. The button gets its name in the language of its own
 * page.
 */
function inLanguage(channel: ChannelSettings, locale: Locale): ChannelSettings {
  const products = channel.products.map((each) => ({ ...each, name: each.names?.[locale] ?? each.name }))
  return { ...channel, products }
}
