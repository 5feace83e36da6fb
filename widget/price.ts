/**
 * Compares the price that the page wrote on the button with the amount of the checkout. A page can be older than the price. If
 * the text could mean something else, or is in another currency, there is nothing to compare.
 */
import type { WidgetCheckoutResponse } from '../server/contract/widget.ts'
import type { WidgetConfig } from './config.ts'
import { splitLabel } from './messages.ts'

export type Amount = Pick<WidgetCheckoutResponse, 'amountMinor' | 'currency'>

/** A price that replaces the page's own, for as long as the page names this product with this old price. */
export type NewPrice = Pick<WidgetConfig, 'productId' | 'price'> & {
  amountMinor: number
  text: string
}

/** How people write the currencies with two decimals, each after its code, and without a point behind it. Other currencies are not compared. */
export const SIGNS: readonly [currency: Amount['currency'], ...signs: string[]][] = [
  ['AMD', '֏', 'դր', 'драм'],
  ['USD', 'US$', '$'],
  ['EUR', '€'],
]

/** Returns the new price if it belongs to the button as it is now. */
export function currentPrice(known: NewPrice | undefined, config: WidgetConfig): NewPrice | undefined {
  return known?.productId === config.productId && known.price === config.price ? known : undefined
}

/** Returns the price to show if the button shows another one than the checkout asks for. */
export function findNewPrice(
  { amountMinor, currency }: Amount,
  { productId, price, label }: WidgetConfig,
  known: NewPrice | undefined,
): NewPrice | undefined {
  // A label without a place for the price does not show it.
  const read = splitLabel(label ?? '%s', price).length > 1 && readPrice(price ?? '', currency)
  if (!read || !(amountMinor > 0) || amountMinor === (known ?? read).amountMinor) return
  return { productId, price, amountMinor, text: read.write(amountMinor) }
}

/**
 * Reads `$15.00`, `15 USD`, `1.900,50 €` or `1 900 ֏`. `write` writes another amount in the same way. Returns undefined if
 * anything is in doubt.
 */
export function readPrice(text: string, currency: Amount['currency']) {
  // Without the marks of direction that some programs write in languages from right to left.
  const [, before = '', number = '', after = ''] =
    /^(\D*)(\d|\d.*\d)(\D*)$/.exec(text.replace(/[\u061c\u200e\u200f]/g, '')) ?? []
  // Whole units, in groups of three with one separator or in one piece, and then two decimals after another separator.
  const [, whole, group, point, cents = '00'] =
    /^(\d{1,3}(?:([\s.,'’])\d{3}(?:\2\d{3})*)?|\d+)(?:([.,])(\d\d))?$/.exec(number) ?? []
  const sign = (before + after).trim().replace('.', '')
  const isKnown = SIGNS.some((row) => row[0] === currency && row.includes(sign))
  if (!isKnown || !whole || (point && group === point)) return
  return {
    amountMinor: Number(whole.replace(/\D/g, '') + cents),
    write(amountMinor: number): string {
      const [units = '', hundredths] = (amountMinor / 100).toFixed(2).split('.')
      const decimals = point || amountMinor % 100 ? (point ?? (group === '.' ? ',' : '.')) + hundredths : ''
      return before + units.replace(/\B(?=(\d{3})+$)/g, group ?? '') + decimals + after
    },
  }
}
