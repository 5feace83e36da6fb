/**
 * The message catalogues: the texts that people read, as ICU MessageFormat, in a folder for each language.
 * Rule: a catalogue has every key of the English one. If a language has no such catalogue, its readers get the English text.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { IntlMessageFormat } from 'intl-messageformat'
import type { Language } from '../contract/languages.ts'
import type { MessageValues } from './values.ts'

/** The catalogue and the key in it: `pages.pay` is the key `pay` in `pages.json`. */
export type MessageKey = keyof MessageValues
/** The keys of messages without values. */
export type PlainKey = {
  [Key in MessageKey]: keyof MessageValues[Key] extends never ? Key : never
}[MessageKey]

/** If the key can be one of several, the values of all of them are needed. */
type Together<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never
export type ArgumentsOf<Union> = keyof Together<Union> extends never
  ? []
  : [values: Readonly<Together<Union>>]
export type Arguments<Key extends MessageKey> = ArgumentsOf<MessageValues[Key]>

const FOLDER = fileURLToPath(new URL('./', import.meta.url))

function readCatalogues(): Map<string, Map<string, string>> {
  const languages = new Map<string, Map<string, string>>()
  for (const path of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })) {
    const [, language, name] = /^(\w+)\/(\w+)\.json$/.exec(path) ?? []
    if (language === undefined) continue
    const texts = languages.get(language) ?? new Map<string, string>()
    const catalogue = JSON.parse(readFileSync(`${FOLDER}${path}`, 'utf8')) as Record<string, string>
    for (const [key, text] of Object.entries(catalogue)) texts.set(`${name}.${key}`, text)
    languages.set(language, texts)
  }
  return languages
}

const CATALOGUES = readCatalogues()

export type Values = Readonly<Record<string, string | number>>

/** Returns the text of a message with its values. The values are plain text: braces in them mean nothing. */
export function translate<Key extends MessageKey>(
  language: Language,
  key: Key,
  ...values: Arguments<Key>
): string
export function translate(language: string, key: string, values?: Values): string {
  return translateAny(language, key, values)
}

/** Like `translate`, for a key that is computed. The caller has checked that the values fit the key. */
export function translateAny(language: string, key: string, values?: Values): string {
  const own = CATALOGUES.get(language)?.get(key)
  if (own !== undefined) return fill(language, own, values)
  return fill('en', CATALOGUES.get('en')?.get(key) ?? key, values)
}

/** Returns a message that has no values and may not exist. */
export function findMessage(language: Language, key: string): string | undefined {
  return CATALOGUES.get(language)?.get(key) ?? CATALOGUES.get('en')?.get(key)
}

const compiled = new Map<string, Map<string, IntlMessageFormat>>()

/** Fills a text that is not in a catalogue. `language`: of the text, for its plurals and numbers. */
export function fill(language: string, text: string, values?: Values): string {
  // Most messages are plain text. Only braces and apostrophes mean something in MessageFormat.
  if (!/[{']/.test(text)) return text
  const formats = compiled.get(language) ?? new Map<string, IntlMessageFormat>()
  compiled.set(language, formats)
  const format = formats.get(text) ?? compile(language, text)
  formats.set(text, format)
  return String(format.format(values))
}

/** Tags mean nothing: a text is no HTML. */
export function compile(language: string, text: string): IntlMessageFormat {
  return new IntlMessageFormat(text, language, undefined, { ignoreTag: true })
}
