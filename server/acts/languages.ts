/** Inputs of an act that exist once for each language of the hosted pages, such as `nameHy` and `nameRu`. */
import { LANGUAGES, type Language } from '../contract/languages.ts'

type InLanguages<Name extends string, Value> = Record<`${Name}${Capitalize<Language>}`, Value>
const CODES = Object.keys(LANGUAGES) as Language[]
const inLanguage = <Name extends string>(name: Name, code: Language) =>
  `${name}${code.charAt(0).toUpperCase()}${code.slice(1)}` as keyof InLanguages<Name, unknown>

/** Makes an object with one member for each language: `nameEn`, `nameHy`, `nameRu`. */
export const inEachLanguage = <Name extends string, Value>(
  name: Name,
  make: (code: Language) => Value,
): InLanguages<Name, Value> =>
  Object.fromEntries(CODES.map((code) => [inLanguage(name, code), make(code)])) as InLanguages<Name, Value>

/** Returns the values of `inEachLanguage` by language, without those that were not given. */
export function byLanguage<Name extends string, Values extends Partial<InLanguages<Name, unknown>>>(
  name: Name,
  given: Values,
): { [Code in Language]?: NonNullable<Values[keyof Values & keyof InLanguages<Name, unknown>]> } {
  const all: Partial<InLanguages<Name, unknown>> = given
  const values = CODES.map((code) => [code, all[inLanguage(name, code)]] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}
