/** One line of the system page: something that was examined, its state, and what to do about it. */
import type { Locale } from '../../pages/words/locale.ts'
import { type ConsoleKey, translateAny } from '../words/translate.ts'

/** `bad`: needs somebody now. `open`: can wait. `href`: where it is seen or mended. */
export type SystemFinding = {
  state: 'good' | 'open' | 'bad'
  about: string
  text: string
  todo?: string | undefined
  href?: string | undefined
}
type Row = {
  is: 'open' | 'bad' | false
  about: ConsoleKey | 'cases.restore'
  text: string
  todo: ConsoleKey
  href?: string
}

export const row = (locale: Locale, { is, about, text, todo, href }: Row): SystemFinding => ({
  state: is || 'good',
  about: translateAny(locale, about),
  text,
  todo: is ? translateAny(locale, todo) : undefined,
  href,
})
