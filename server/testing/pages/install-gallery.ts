/** The install page in every state, for the gallery: different channels, and good and bad findings of the doctor. */
import type { ChannelSettings } from '../../channels/settings.ts'
import type { Mode } from '../../contract/health.ts'
import { readChoice } from '../../pages/install/choice.ts'
import { examine } from '../../pages/install/doctor.ts'
import { installPage, unknownKeyPage } from '../../pages/install/install-page.ts'
import { linksTo } from '../../pages/page-endpoint.ts'
import { readPosterChoice } from '../../pages/poster/choice.ts'
import { posterPage } from '../../pages/poster/poster-page.ts'
import { LOCALES, type Locale } from '../../pages/words/locale.ts'
import { AMOUNTS, type Show, type Texts } from './gallery-facts.ts'

const API = 'https://pay.example'
const ORIGINS = ['https://shop.example', 'https://www.shop.example']
const INSTALLATION = {
  merchantId: 'mer_x',
  id: 'ins_x',
  publicKey: 'kpk_8sTq2bVxN0mJrWcYdEhLpA7u',
  origins: ORIGINS,
  returnUrl: `${ORIGINS[0]}/thanks`,
  shopUrl: null,
  provider: null,
  skipsCheckout: false,
  createdAt: new Date('2026-03-04T15:30:00Z'),
  revokedAt: null,
}
const LINKS = linksTo('/', {})

function channelOf({ merchantName, description }: Texts): ChannelSettings {
  const { publicKey, origins, returnUrl } = INSTALLATION
  const pay = (id: string) => `${API}/pay/${publicKey}/${id}`
  return {
    merchantName,
    publicKey,
    apiOrigin: API,
    origins,
    returnUrl,
    script: {
      pinned: {
        version: '0.2.0',
        scriptUrl: `${API}/widget/0.2.0/kassa.js`,
        integrity: `sha384-${'oqVuAfXRKap7fdgcCY5u'.repeat(3)}ykM6`,
      },
      moving: `${API}/widget/v1/kassa.js`,
      versions: `${API}/widget/versions.json`,
    },
    policy: { 'script-src': API, 'connect-src': API },
    products: [
      { id: 'tea', name: description, amountMinor: 19_000_000, currency: 'AMD', payUrl: pay('tea') },
      { id: 'cup', name: 'Cup', amountMinor: 1_500, currency: 'EUR', payUrl: pay('cup') },
    ],
  }
}

const install =
  (
    query: Record<string, string> = {},
    changes: Partial<ChannelSettings> = {},
    brand: { colour?: string } = {},
  ): Show =>
  (locale, texts) => {
    const channel = { ...channelOf(texts), ...changes }
    return installPage({
      locale,
      mode: 'sandbox',
      localeLinks: LINKS,
      channel,
      hasMore: false,
      query,
      entered: query,
      kept: {},
      choice: readChoice(channel, query, locale, brand),
      examination: examine(INSTALLATION, channel, { entered: query, isForm: false, returnUrl: null }),
    })
  }

type PosterLook = {
  photo?: boolean
  colour?: string
  name?: Record<'hy' | 'ru' | 'en', string>
  mode?: Mode
}

const LONG_NAME = {
  hy: 'Ձեռքով պատրաստված կապույտ բաժակ՝ պնակով, երկու հոգու համար',
  ru: 'Синяя чашка ручной работы с блюдцем, для двоих, в подарочной коробке',
  en: 'A blue cup made by hand, with its saucer, for two, in a gift box',
}

/** Everything that a poster can have. */
const fullPoster = (query: Record<string, string>, mode?: Mode) =>
  poster(query, { colour: '#0b4aa8', name: LONG_NAME, ...(mode && { mode }) })

/** A poster of the first product, with its choices as the address has them. */
const poster =
  (query: Record<string, string>, { photo = true, colour, name, mode = 'sandbox' }: PosterLook): Show =>
  (locale, texts) => {
    const { merchantName, description } = texts
    const logo = { address: '/pictures/logo.png', width: 512, height: 200, ground: 'light' as const }
    const brand = { name: merchantName, ...(colour && { colour, logo }) }
    const product = {
      merchantId: 'mer_x',
      id: 'tea',
      name: name ? name.en : description,
      ...AMOUNTS,
      provider: null,
      display: {
        names: name ?? { en: 'Mountain tea' },
        ...(photo && { picture: { id: 'tea', width: 1000, height: 600, ground: 'light' as const } }),
      },
    }
    const pay = `${API}/pay/${INSTALLATION.publicKey}/${product.id}`
    return posterPage({
      locale,
      mode,
      localeLinks: LINKS,
      publicKey: INSTALLATION.publicKey,
      brands: Object.fromEntries(LOCALES.map((each) => [each, brand])) as Record<Locale, typeof brand>,
      products: [product],
      hasMore: false,
      product,
      choice: readPosterChoice(query, locale),
      address: colour ? `${API}/p/mountain-tea` : pay,
      codeAddress: colour ? `${API}/p/mountain-tea` : pay,
    })
  }

const good = { site: ORIGINS[0] ?? '', back: '/thanks', csp: `script-src ${API}; connect-src ${API}` }
const bad = { site: 'http://shop.example:8080', back: 'https://other.example/', csp: "default-src 'self'" }

export const INSTALL_GALLERY: Record<string, Show> = {
  'install-preview': install(),
  'install-coloured': (locale, texts) =>
    install({ label: texts.description, background: '#6b1d5c', radius: '0', version: 'moving' })(
      locale,
      texts,
    ),
  'install-branded': install({}, {}, { colour: '#17433c' }),
  'install-return': install({ return: 'https://other.example/' }, { returnUrl: null }),
  'install-good': install(good),
  'install-bad': install(bad),
  'install-link-alone': install({}, { origins: [], returnUrl: null }),
  'install-nothing-for-sale': install({}, { products: [] }),
  'install-quantity': (locale, texts) => {
    const [product] = channelOf(texts).products
    return install({}, { products: product ? [{ ...product, maxQuantity: 6 }] : [] })(locale, texts)
  },
  'install-chosen-amount': (locale, texts) => {
    const [product] = channelOf(texts).products
    return install({}, { products: product ? [{ ...product, isAmountChosen: true }] : [] })(locale, texts)
  },
  'install-poster': poster({}, { photo: false }),
  'install-poster-branded': poster({ texts: 'all' }, { colour: '#c2185b' }),
  'install-poster-a6': poster({ size: 'a6', texts: 'hy' }, { colour: '#ffd400' }),
  'install-poster-tent': poster({ size: 'tent' }, { colour: '#0b4aa8' }),
  'install-poster-full-a4': fullPoster({ size: 'a4' }),
  'install-poster-full-a6': fullPoster({ size: 'a6' }),
  'install-poster-full-tent': fullPoster({ size: 'tent' }),
  'install-poster-full-all': fullPoster({ size: 'a6', texts: 'all' }),
  'install-poster-full-live': fullPoster({}, 'live'),
  'install-unknown-key': (locale) => unknownKeyPage({ locale, mode: 'sandbox', localeLinks: LINKS }),
}
