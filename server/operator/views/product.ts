/** The product in results. */
import type { Context } from '../../context.ts'
import type { ProductRecord } from '../../merchants/product.ts'
import { readableAmount as amount, decimalAmount } from '../../payments/money.ts'

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
