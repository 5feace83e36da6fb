/** The product in results, and what several commands say of it. */
import type { Context } from '../../context.ts'
import type { ProductRecord } from '../../merchants/product.ts'
import { decimalAmount } from '../../payments/money.ts'
import { fieldLines } from '../field-flags.ts'
import { required } from '../flag.ts'
import { amount } from '../layout.ts'

export const ID = required('P', "the shop's own id for the product, as in the page's product-id")

/** `amount` is decimal text as --amount reads it. `price` is text for people. */
export function presentProduct({ baseUrl }: Pick<Context, 'baseUrl'>, record: ProductRecord) {
  const { id, name, amountMinor, currency, provider, display = {}, choice, maxQuantity = 1 } = record
  const { picture, ...texts } = display
  return {
    id,
    name,
    ...texts,
    amountMinor,
    amount: decimalAmount(amountMinor, currency),
    currency,
    price: choice
      ? `${amount(choice.minMinor, currency)} to ${amount(choice.maxMinor, currency)}`
      : amount(amountMinor, currency),
    ...(picture && { picture: { ...picture, url: `${baseUrl}/pictures/${picture.id}.webp` } }),
    ...(choice && { choice }),
    ...(maxQuantity > 1 && { maxQuantity }),
    route: provider,
  }
}

type Presented = ReturnType<typeof presentProduct>

/** The rows of one product. */
export function productLines(product: Presented): [label: string, value: string | string[] | undefined][] {
  const {
    id,
    name,
    names = {},
    description,
    price,
    choice,
    currency,
    maxQuantity,
    fields,
    picture,
    route,
  } = product
  return [
    ['Product', id],
    ['Name', [name, ...Object.entries(names).map(([language, each]) => `${each} (${language})`)]],
    ['Description', description],
    ['Price', choice ? `the buyer chooses: ${price}` : price],
    ['In steps of', choice && amount(choice.stepMinor, currency)],
    ['Suggested', choice?.suggestedMinor.map((each) => amount(each, currency))],
    ['At most', maxQuantity === undefined ? undefined : `${maxQuantity} at once`],
    ['Asks for', fields && fieldLines(fields)],
    ['Picture', picture?.url],
    ['Route', routeName(route)],
  ]
}

/** Null means the route of the installation, and if that is null too, the default of the service. */
export function routeName(route: string | null): string {
  return route ?? 'the default'
}
