/** Texts on the paper, which may be in several languages at once. */
import { html, type Markup } from '../html.ts'
import type { Locale } from '../words/locale.ts'

export type LocaleText = { locale: Locale; text: string }

/** Returns the text in each language. A text that two languages share is there once. */
export function inEachLanguage(
  languages: readonly Locale[],
  textIn: (locale: Locale) => string,
): LocaleText[] {
  const all = languages.map((locale) => ({ locale, text: textIn(locale) }))
  return all.filter(({ text }, at) => all.findIndex((other) => other.text === text) === at)
}

/** One line for each language. `part`: the name by which the script finds the line. */
export const textLines = (texts: readonly LocaleText[], part: string): Markup[] =>
  texts.map(({ locale, text }) => html`<span lang=${locale} data-part=${part}><bdi>${text}</bdi></span>`)

/** The longest of the texts decides how large all of them can be. */
export function lengthOf(texts: readonly LocaleText[]): 'short' | 'middle' | 'long' {
  const longest = Math.max(...texts.map(({ text }) => [...text].length))
  if (longest > 36) return 'long'
  return longest > 16 ? 'middle' : 'short'
}
