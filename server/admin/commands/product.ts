/** `product`: the products that pay buttons sell, and their prices. */
import type { Context } from '../../context.ts'
import { CURRENCY_CODES, PROVIDER_ROUTES } from '../../contract/fields.ts'
import { installPageUrl, listInstallations } from '../../merchants/installation.ts'
import { listProducts, type ProductRecord, removeProduct, setProduct } from '../../merchants/product.ts'
import { decimalAmount, parseAmount } from '../../payments/money.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { MERCHANT, optional, optionalChoice, required, requiredChoice } from '../flag.ts'
import { amount, pairs, paragraphs, table } from '../layout.ts'
import { routeWarning } from './route.ts'

const ID = required('P', "the shop's own id for the product, as in the page's product-id")

/** `amount` is decimal text as --amount reads it. `price` is text for people. */
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
    name: required('N', 'the name that buyers see'),
    amount: required('15.00', 'the price, in units and decimals'),
    currency: requiredChoice('USD', 'the currency of the price', CURRENCY_CODES),
    route: optionalChoice(
      'R',
      'the provider route of its payments; default the route of the installation or of the service',
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
    const hasNewPrice = before?.amountMinor !== amountMinor || before.currency !== currency
    const warning = routeWarning(ctx, route)
    return {
      json: { merchantId, product, ...(warning && { warning }) },
      text: paragraphs(
        'New payments use this price within a second. Earlier payments keep their price.',
        pairs([
          ['Product', id],
          ['Name', name],
          ['Price', product.price],
          ['Route', routeName(route ?? null)],
          ['Merchant', merchantId],
        ]),
        warning,
        before && hasNewPrice && STALE_TEXT,
        await nextStep(ctx, merchantId, id),
      ),
    }
  },
})

const list = verb({
  name: 'list',
  summary: 'List the products of a merchant, or of all merchants',
  flags: { merchant: optional('ID', 'only products of this merchant') },
  examples: ['', '--merchant mer_01...'],
  async run(ctx, { merchant: merchantId }) {
    const records = await listProducts(ctx, merchantId)
    const products = records.map((record) => {
      const { merchantId: owner } = record
      return { ...presentProduct(record), merchantId: owner }
    })
    const rows = products.map(({ id, name, price, route, merchantId: owner }) => [
      id,
      name,
      price,
      routeName(route),
      owner,
    ])
    const text =
      products.length > 0
        ? table(['Product', 'Name', 'Price', 'Route', 'Merchant'], rows)
        : `${merchantId ? 'The merchant has no product.' : 'There is no product.'} Create one: ${ADMIN} product set --help`
    return { json: { ...(merchantId && { merchantId }), products }, text }
  },
})

const STALE_TEXT =
  'The price in a page (price="...") is only text. It does not change by itself, so change it there too. Buyers pay the new price.'

/** The install pages with the text to paste, or the command that creates a public key. */
async function nextStep(ctx: Context, merchantId: string, productId: string): Promise<string> {
  const installations = await listInstallations(ctx, merchantId)
  const pages = installations
    .filter(({ revokedAt }) => !revokedAt)
    .map(({ publicKey }) => `  ${installPageUrl(ctx, publicKey)}?product=${encodeURIComponent(productId)}`)
  if (pages.length > 0) return `The install page shows its button and the text to paste:\n${pages.join('\n')}`
  return `Next, create a public key for the pages that sell it:\n  ${ADMIN} installation create --merchant ${merchantId} --origin https://shop.example`
}

/** Null means the route of the installation, and if that is null too, the default of the service. */
function routeName(route: string | null): string {
  return route ?? 'the default'
}

const remove = verb({
  name: 'remove',
  summary: 'Remove a product from sale; its payments stay',
  flags: { merchant: MERCHANT, id: ID },
  examples: ['--merchant mer_01... --id tea'],
  async run(ctx, { merchant: merchantId, id }) {
    await removeProduct(ctx, merchantId, id)
    return {
      json: { merchantId, productId: id, removed: true },
      text: paragraphs(
        'The product is out of sale within a second. Its payments stay as they are.',
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
  summary: 'Set, list and remove the products of pay buttons',
  verbs: [set, list, remove],
}
