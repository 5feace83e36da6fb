import type { Locale } from './locale.ts'
import { EN, type MessageKey } from './messages-en.ts'
import { HY } from './messages-hy.ts'
import { RU } from './messages-ru.ts'

export type { MessageKey }

/** English defines the keys; the compiler and a test hold the other two to them. */
export const MESSAGES: Record<Locale, Record<MessageKey, string>> = { hy: HY, ru: RU, en: EN }

/** A sentence in the page's language. `{name}` in it is replaced by `values.name`, once, as plain text. */
export function say(locale: Locale, key: MessageKey, values: Record<string, string> = {}): string {
  return MESSAGES[locale][key].replaceAll(/\{(\w+)\}/g, (hole, name: string) => values[name] ?? hole)
}
