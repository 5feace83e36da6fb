/** What the owner of a shop reads about orders, in the owner's language. A language without a table reads English. */
import type { Locale } from './locale.ts'
import { ORDER_EN, type OrderKey } from './order-messages-en.ts'
import { ORDER_HY } from './order-messages-hy.ts'
import { ORDER_RU } from './order-messages-ru.ts'

export type { OrderKey } from './order-messages-en.ts'
export const ORDER_MESSAGES: Partial<Record<Locale, Record<OrderKey, string>>> = {
  hy: ORDER_HY,
  ru: ORDER_RU,
  en: ORDER_EN,
}

/** As `say` of the other pages. */
export function sayOrder(locale: Locale, key: OrderKey, values: Record<string, string> = {}): string {
  const text = (ORDER_MESSAGES[locale] ?? ORDER_EN)[key]
  return text.replaceAll(/\{(\w+)\}/g, (hole, name: string) => values[name] ?? hole)
}
