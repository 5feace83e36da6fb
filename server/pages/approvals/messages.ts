/** The words of what needs a second person: for the console, for mails and, in English, for the command line. */
import type { FactName, FactWord } from '../../operator/approvals/facts.ts'
import type { GuardedName } from '../../operator/approvals/guarded.ts'
import type { Locale } from '../words/locale.ts'
import { APPROVAL_EN } from './messages-en.ts'
import { APPROVAL_HY } from './messages-hy.ts'
import { APPROVAL_RU } from './messages-ru.ts'
import type { ApprovalMailKey, ApprovalWords } from './words.ts'

const WORDS: Partial<Record<Locale, ApprovalWords>> & { en: ApprovalWords } = {
  en: APPROVAL_EN,
  ru: APPROVAL_RU,
  hy: APPROVAL_HY,
}

const wordsOf = (locale: Locale): ApprovalWords => WORDS[locale] ?? WORDS.en

/** Returns the name of an act that needs a second person; an act of another version as it is stored. */
export function actText(locale: Locale, what: string): string {
  const { acts } = wordsOf(locale)
  return Object.hasOwn(acts, what) ? acts[what as GuardedName] : what
}

export const factText = (locale: Locale, name: FactName): string => wordsOf(locale).facts[name]
export const valueText = (locale: Locale, word: FactWord): string => wordsOf(locale).values[word]

/** A sentence of a mail. `{name}` in it is replaced by `values.name`. */
export function sayApproval(
  locale: Locale,
  key: ApprovalMailKey,
  values: Record<string, string> = {},
): string {
  return wordsOf(locale).mail[key].replaceAll(/\{(\w+)\}/g, (hole, name: string) => values[name] ?? hole)
}
