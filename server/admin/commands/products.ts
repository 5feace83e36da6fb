/** `product`: the products that pay buttons and pay links sell, and their prices. */
import { listProducts } from '../../merchants/product.ts'
import { versionOf } from '../../merchants/version.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { optional } from '../flag.ts'
import { listText } from '../layout.ts'
import { presentProduct, routeName } from './product.ts'
import { set } from './product-set.ts'

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List the products of a merchant, or of all merchants',
  flags: { merchant: optional('ID', 'only products of this merchant') },
  examples: ['', '--merchant mer_01...'],
  async run(ctx, { merchant: merchantId }) {
    const records = await listProducts(ctx, merchantId)
    const products = records.map((record) => {
      const { merchantId: owner } = record
      return { ...presentProduct(ctx, record), version: versionOf(record), merchantId: owner }
    })
    const rows = products.map(({ id, name, price, fields, route, merchantId: owner }) => [
      id,
      name,
      price,
      Object.keys(fields ?? {}).join(', '),
      routeName(route),
      owner,
    ])
    const text = listText(
      ['Product', 'Name', 'Price', 'Asks for', 'Route', 'Merchant'],
      rows,
      `${merchantId ? 'The merchant has no product.' : 'There is no product.'} Create one: ${ADMIN} product set --help`,
    )
    return { json: { ...(merchantId && { merchantId }), products }, text }
  },
})

export const product: Noun = {
  name: 'product',
  summary: 'Set, list and remove the products of pay buttons',
  verbs: [set, list],
}
