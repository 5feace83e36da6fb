/** The facts of a proposal as lines of text, the same for the console, for mails and for the command line. */
import type { Fact, Shown } from '../../operator/approvals/facts.ts'
import { formatAmount, type Locale } from '../words/locale.ts'
import { factText, sayApproval, valueText } from './messages.ts'

/** `before`: what it replaces; null where nothing is replaced. */
export type FactLine = { label: string; text: string; before: string | null }

export function factLines(locale: Locale, facts: readonly Fact[]): FactLine[] {
  return facts.map(({ name, of, after, before }) => ({
    label: of === undefined ? factText(locale, name) : `${factText(locale, name)} (${of})`,
    text: shownText(locale, after),
    before: before === undefined ? null : before === null ? '–' : shownText(locale, before),
  }))
}

/** A line as one text, for mails and the command line. */
export function lineText(locale: Locale, { text, before }: FactLine): string {
  return before === null ? text : `${text} (${sayApproval(locale, 'insteadOf', { before })})`
}

function shownText(locale: Locale, shown: Shown): string {
  if ('text' in shown) return shown.text
  if ('digest' in shown) return shown.digest
  if ('word' in shown) return valueText(locale, shown.word)
  return formatAmount(shown.amountMinor, shown.currency, locale)
}
