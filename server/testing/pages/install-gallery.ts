/** The install page in every state, for the gallery: different channels, and good and bad findings of the doctor. */
import type { ChannelSettings } from '../../channels/settings.ts'
import { readChoice } from '../../pages/install/choice.ts'
import { examine } from '../../pages/install/doctor.ts'
import { installPage, unknownKeyPage } from '../../pages/install/install-page.ts'
import { posterPage } from '../../pages/install/share.ts'
import { linksTo } from '../../pages/page-endpoint.ts'
import type { Show, Texts } from './gallery-facts.ts'

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
  (query: Record<string, string> = {}, changes: Partial<ChannelSettings> = {}): Show =>
  (locale, texts) => {
    const channel = { ...channelOf(texts), ...changes }
    return installPage({
      locale,
      mode: 'sandbox',
      localeLinks: LINKS,
      channel,
      query,
      asked: query,
      kept: {},
      choice: readChoice(channel, query, locale),
      examination: examine(INSTALLATION, channel, { asked: query, isForm: false, returnUrl: null }),
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
  'install-poster': (locale, texts) => {
    const { merchantName, products } = channelOf(texts)
    const [product] = products
    if (!product) throw new Error('the gallery sells nothing')
    return posterPage({
      locale,
      mode: 'sandbox',
      localeLinks: LINKS,
      brand: { name: merchantName },
      product,
      shortUrl: null,
    })
  },
  'install-poster-branded': (locale, texts) => {
    const [product] = channelOf(texts).products
    if (!product) throw new Error('the gallery sells nothing')
    const brand = {
      name: texts.merchantName,
      colour: '#c2185b',
      logo: { address: '/pictures/logo.png', width: 512, height: 200, ground: 'light' as const },
    }
    return posterPage({
      locale,
      mode: 'sandbox',
      localeLinks: LINKS,
      brand,
      product,
      shortUrl: 'https://pay.example/p/mountain-tea',
    })
  },
  'install-unknown-key': (locale) => unknownKeyPage({ locale, mode: 'sandbox', localeLinks: LINKS }),
}
