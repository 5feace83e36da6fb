import { BUYER_EN, type BuyerKey } from './buyer-messages-en.ts'
import { BUYER_HY } from './buyer-messages-hy.ts'
import { BUYER_RU } from './buyer-messages-ru.ts'
import type { Locale } from './locale.ts'
import { EN, type MessageKey as PageKey } from './messages-en.ts'
import { HY } from './messages-hy.ts'
import { RU } from './messages-ru.ts'

export type MessageKey = PageKey | BuyerKey

/** The English tables define the keys. The compiler and a test check that the other languages have the same keys. */
const PAGES: Record<Locale, Record<PageKey, string>> = { hy: HY, ru: RU, en: EN }
const BUYERS: Record<Locale, Record<BuyerKey, string>> = { hy: BUYER_HY, ru: BUYER_RU, en: BUYER_EN }

const codes = Object.keys(PAGES) as Locale[]
export const MESSAGES = Object.fromEntries(
  codes.map((code) => [code, { ...PAGES[code], ...BUYERS[code] }]),
) as Record<Locale, Record<MessageKey, string>>

/** A sentence in the page's language. `{name}` in it is replaced by `values.name`, once, as plain text. */
export function say(locale: Locale, key: MessageKey, values: Record<string, string> = {}): string {
  return MESSAGES[locale][key].replaceAll(/\{(\w+)\}/g, (hole, name: string) => values[name] ?? hole)
}
