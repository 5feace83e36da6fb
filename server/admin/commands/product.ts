/** `product`: what a widget may sell, and for how much. */
import type { Context } from '../../context.ts'
import { CURRENCY_CODES, PROVIDER_ROUTES } from '../../contract/fields.ts'
import { listInstallations } from '../../merchants/installation.ts'
import { listProducts, type ProductRecord, removeProduct, setProduct } from '../../merchants/product.ts'
import { decimalAmount, parseAmount } from '../../payments/money.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { MERCHANT, optionalChoice, required, requiredChoice } from '../flag.ts'
import { installPageUrl } from '../install-page.ts'
import { amount, pairs, paragraphs, table } from '../layout.ts'
import { routeWarning } from './route.ts'

const ID = required('P', "the shop's own key for it, as pages name it (product-id)")

/** `amount` is decimal text as --amount takes it; `price` is for reading. */
export function presentProduct({ id, name, amountMinor, currency, provider }: ProductRecord) {
  return {
    id,
    name,
    amountMinor,
    amount: decimalAmount(amountMinor, currency),
    currency,
    price: amount(amountMinor, currency),
    route: provider,
  }
}

const set = verb({
  name: 'set',
  summary: 'Create a product, or change its name, price or route',
  flags: {
    merchant: MERCHANT,
    id: ID,
    name: required('N', 'what buyers see'),
    amount: required('15.00', 'the price in whole units and decimals'),
    currency: requiredChoice('USD', 'what the price is in', CURRENCY_CODES),
    route: optionalChoice(
      'R',
      "the provider route of its payments; the service's default when left out",
      PROVIDER_ROUTES,
    ),
  },
  examples: [
    '--merchant mer_01... --id tea --name "Thyme tea" --amount 1900 --currency AMD',
    '--merchant mer_01... --id cup --name "Cup" --amount 15.00 --currency USD --route route_b',
  ],
  async run(ctx, { merchant: merchantId, id, name, amount: text, currency, route }) {
    const amountMinor = parseAmount(text, currency)
    const given = { merchantId, id, name, amountMinor, currency, provider: route ?? null }
    const before = (await listProducts(ctx, merchantId)).find((each) => each.id === id)
    const product = presentProduct(await setProduct(ctx, given))
    const wasPricedOtherwise = before?.amountMinor !== amountMinor || before.currency !== currency
    const warning = routeWarning(ctx, route)
    return {
      json: { merchantId, product, ...(warning && { warning }) },
      text: paragraphs(
        'New payments have this price within a second; earlier ones keep theirs.',
        pairs([
          ['Product', id],
          ['Name', name],
          ['Price', product.price],
          ['Route', routeName(route ?? null)],
          ['Merchant', merchantId],
        ]),
        warning,
        before && wasPricedOtherwise && STALE_TEXT,
        await nextStep(ctx, merchantId, id),
      ),
    }
  },
})

const list = verb({
  name: 'list',
  summary: 'What a merchant sells',
  flags: { merchant: MERCHANT },
  examples: ['--merchant mer_01...'],
  async run(ctx, { merchant: merchantId }) {
    const products = (await listProducts(ctx, merchantId)).map(presentProduct)
    const rows = products.map(({ id, name, price, route }) => [id, name, price, routeName(route)])
    const text =
      products.length > 0
        ? table(['Product', 'Name', 'Price', 'Route'], rows)
        : `The merchant sells nothing yet. See: ${ADMIN} product set --help`
    return { json: { merchantId, products }, text }
  },
})

const STALE_TEXT =
  'A price that stands in a page (price="...") is only text, and stays as it was: change it there too. What is paid is the new one.'

/** Where the text to paste is; or how to come to a public key. */
async function nextStep(ctx: Context, merchantId: string, productId: string): Promise<string> {
  const installations = await listInstallations(ctx, merchantId)
  const pages = installations
    .filter(({ revokedAt }) => !revokedAt)
    .map(({ publicKey }) => `  ${installPageUrl(ctx, publicKey)}?product=${encodeURIComponent(productId)}`)
  if (pages.length > 0) return `Its button, and the text to paste, on the install page:\n${pages.join('\n')}`
  return `Next, a public key for the pages that sell it:\n  ${ADMIN} installation create --merchant ${merchantId} --origin https://shop.example`
}

/** Null stands for what the installation, and after it the service, has as its default. */
function routeName(route: string | null): string {
  return route ?? 'the default'
}

const remove = verb({
  name: 'remove',
  summary: 'Take a product out of sale; its payments stay',
  flags: { merchant: MERCHANT, id: ID },
  examples: ['--merchant mer_01... --id tea'],
  async run(ctx, { merchant: merchantId, id }) {
    await removeProduct(ctx, merchantId, id)
    return {
      json: { merchantId, productId: id, removed: true },
      text: paragraphs(
        'The product is out of sale within a second; payments made for it stay as they are.',
        pairs([
          ['Product', id],
          ['Merchant', merchantId],
        ]),
      ),
    }
  },
})

export const product: Noun = {
  name: 'product',
  summary: 'What a pay button may sell, and for how much',
  verbs: [set, list, remove],
}
