/** The texts of the button as a snippet carries them, so that the page loads nothing but the script. */
import { VERSION } from '../version.ts'
import { type ButtonTexts, readButtonTexts } from './widget-build.ts'

let known: ReadonlyMap<string, ButtonTexts> | undefined

/** Returns `hy|...|...`: the language and its texts, in the order of the file. Null for English and for a language without a file. */
export function snippetTexts(language: string): string | null {
  known ??= readButtonTexts(VERSION)
  const texts = known.get(language)
  return texts ? [language, ...Object.values(texts)].join('|') : null
}
