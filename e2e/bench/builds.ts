/** The measured builds. Each has its script, its markup on the page, and a test whether its button is there. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

/** The address of every request of a vendor's script. It returns an empty body. */
export const ANSWER_PATH = '/answer'

export type Build = { name: string; script: string; markup: string; ready: string }

export const KASSA = 'kassa'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
const ATTRIBUTES = 'public-key="kpk_1" product-id="tea" price="$15.00"'
const inShadow = (tag: string) => `document.querySelector('${tag}')?.shadowRoot?.querySelector('button')`

/**
 * Replaces fetch, so that a vendor's requests go only to this machine and return little data at once. That makes the
 * vendors look faster than they are. `data`: an expression that may use the request's body.
 */
const answering = (data: string) =>
  `{ const ask = window.fetch
    window.fetch = async (_, { body = '' } = {}) => (await ask('${ANSWER_PATH}'),
      new Response(JSON.stringify(${data}), { headers: { 'content-type': 'application/json' } })) };`

const ADYEN = `
  import { AdyenCheckout, Redirect } from '@adyen/adyen-web'
  AdyenCheckout({
    environment: 'test', clientKey: 'test_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', locale: 'en-US', countryCode: 'NL',
    amount: { value: 1500, currency: 'EUR' }, analytics: { enabled: false },
    paymentMethodsResponse: { paymentMethods: [{ name: 'Paysafecard', type: 'paysafecard' }] }, onSubmit() {}, onError() {},
  }).then((checkout) => new Redirect(checkout, { type: 'paysafecard', name: 'Paysafecard' }).mount('#pay'))`

const NO_MORE = { hasNextPage: false, hasPreviousPage: false }
const VARIANT = {
  id: 'gid://shopify/ProductVariant/2',
  title: 'Default Title',
  available: true,
  sku: '',
  price: { amount: '15.00', currencyCode: 'USD' },
  compareAtPrice: null,
  weight: 0,
  image: null,
  unitPrice: null,
  priceV2: { amount: '15.00', currencyCode: 'USD' },
  compareAtPriceV2: null,
  unitPriceMeasurement: null,
  selectedOptions: [{ name: 'Title', value: 'Default Title' }],
}
const PRODUCT = {
  __typename: 'Product',
  id: 'gid://shopify/Product/1',
  title: 'Tea',
  handle: 'tea',
  availableForSale: true,
  description: '',
  descriptionHtml: '',
  productType: '',
  vendor: '',
  onlineStoreUrl: null,
  createdAt: '',
  updatedAt: '',
  options: [{ name: 'Title', values: ['Default Title'] }],
  images: { edges: [], pageInfo: NO_MORE },
  variants: { edges: [{ cursor: 'x', node: VARIANT }], pageInfo: NO_MORE },
}
const SHOPIFY = `;ShopifyBuy.UI.init(ShopifyBuy.buildClient({ domain: 'shop.example', storefrontAccessToken: 'x' }))
  .createComponent('product', { id: '1', node: document.querySelector('#pay'), moneyFormat: '\${{amount}}', options: {
    product: { iframe: false, contents: { img: false } }, cart: { iframe: false }, toggle: { iframe: false } } })`

/**
 * `vendors`: a folder with the vendors' packages in its node_modules. `skipped`: the packages that are missing there.
 * `before`: the kassa.js of an earlier build.
 */
export async function listBuilds(
  vendors: string | undefined,
  before: string | undefined,
): Promise<{ builds: Build[]; skipped: string[] }> {
  const kassa = readFileSync(join(ROOT, `.dist/widget/${version}/kassa.js`), 'utf8')
  const vanilla = await bundle(join(ROOT, 'e2e/bench/vanilla.ts'))
  const builds: Build[] = [
    { name: 'empty page', script: 'window.done = 1', markup: '', ready: 'window.done' },
    {
      name: 'vanilla',
      script: vanilla,
      markup: `<vanilla-pay ${ATTRIBUTES}></vanilla-pay>`,
      ready: inShadow('vanilla-pay'),
    },
    kassaBuild(KASSA, kassa),
  ]
  if (before) builds.push(kassaBuild('kassa before', readFileSync(before, 'utf8')))
  const skipped: string[] = []
  const markup = '<div id="pay"></div>'
  const has = (name: string) => {
    const there = vendors !== undefined && existsSync(join(vendors, 'node_modules', name))
    if (!there) skipped.push(name)
    return there
  }
  if (has('@adyen/adyen-web')) {
    const script = answering('{}') + (await bundle(join(String(vendors), 'kassa-bench-adyen.js'), ADYEN))
    builds.push({ name: '@adyen/adyen-web', script, markup, ready: "document.querySelector('#pay button')" })
  }
  if (has('@shopify/buy-button-js')) {
    const file = join(String(vendors), 'node_modules/@shopify/buy-button-js/dist/buybutton.min.js')
    const product = JSON.stringify(PRODUCT)
    const answer = answering(
      `{ data: body.includes('nodes') ? { nodes: [${product}] } : { node: ${product} } }`,
    )
    const script = answer + readFileSync(file, 'utf8') + SHOPIFY
    builds.push({
      name: '@shopify/buy-button-js',
      script,
      markup,
      ready: "document.querySelector('#pay .shopify-buy__btn')",
    })
  }
  return { builds, skipped }
}

function kassaBuild(name: string, script: string): Build {
  const markup = `<kassa-pay ${ATTRIBUTES}></kassa-pay>`
  return { name, script, markup, ready: inShadow('kassa-pay') }
}

/** Bundles one classic script with the widget's settings. `source`: the text of `input`, if that is not a file. */
async function bundle(input: string, source?: string): Promise<string> {
  const virtual = {
    name: 'virtual',
    resolveId: (id: string) => (id === input ? id : null),
    load: (id: string) => (id === input ? source : null),
  }
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    publicDir: false,
    root: ROOT,
    plugins: source ? [virtual] : [],
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2022',
      minify: 'oxc',
      cssMinify: 'lightningcss',
      modulePreload: false,
      rolldownOptions: { input, output: { format: 'iife' } },
    },
  })
  const [output] = Array.isArray(result) ? result : [result]
  const chunk = output && 'output' in output ? output.output.find((each) => each.type === 'chunk') : undefined
  if (chunk?.type !== 'chunk') throw new Error(`The bundle of ${input} contains no script.`)
  return chunk.code
}
