/** The facts of a proposal as lines of text, the same for the console, for mails and for the command line. */
import { readable } from '../../contract/one-line.ts'
import { translate } from '../../messages/translate.ts'
import type { Fact, Shown } from '../../operator/approvals/facts.ts'
import { formatAmount, type Locale } from '../words/locale.ts'

/** `before`: what it replaces; null where nothing is replaced. */
export type FactLine = { label: string; text: string; before: string | null }

export function factLines(locale: Locale, facts: readonly Fact[]): FactLine[] {
  return facts.map(({ name, of, after, before }) => ({
    label: factLabel(locale, name, of),
    text: shownText(locale, after),
    before: before === undefined ? null : before === null ? '–' : shownText(locale, before),
  }))
}

function factLabel(locale: Locale, name: Fact['name'], of: string | undefined): string {
  const label = translate(locale, `approvals.facts.${name}`)
  return of === undefined ? label : `${label} (${of})`
}

/** A line as one text, for mails and the command line. */
export function lineText(locale: Locale, { text, before }: FactLine): string {
  return before === null ? text : `${text} (${translate(locale, 'approvals.insteadOf', { before })})`
}

function shownText(locale: Locale, shown: Shown): string {
  if ('text' in shown) return readable(shown.text)
  if ('digest' in shown) return shown.digest
  if ('word' in shown) return translate(locale, `approvals.values.${shown.word}`)
  return formatAmount(shown.amountMinor, shown.currency, locale)
}
