import type { Locale } from '../pages/words/locale.ts'
import { type ConsoleKey, EN } from './words-en.ts'
import { HY } from './words-hy.ts'
import { RU } from './words-ru.ts'

export type { ConsoleKey }

/** English defines the keys. The compiler and a test hold the other two to them. */
export const CONSOLE_WORDS: Record<Locale, Record<ConsoleKey, string>> = { hy: HY, ru: RU, en: EN }

/** A sentence of the console. `{name}` in it is replaced by `values.name`, once, as plain text. */
export function say(locale: Locale, key: ConsoleKey, values: Record<string, string> = {}): string {
  return CONSOLE_WORDS[locale][key].replaceAll(/\{(\w+)\}/g, (hole, name: string) => values[name] ?? hole)
}
