/** A statement as it was understood, before anything of it is stored. */
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import type { ChangedLine } from '../../reports/examine.ts'
import { SKIPS } from '../../reports/reading/columns.ts'
import type { Preview, ShownLine } from '../../reports/reading/preview.ts'
import type { Remark } from '../../reports/reading/question.ts'
import type { Understanding } from '../../reports/reading/understand.ts'
import { type FactLine, factList, momentText, statedText } from '../parts.ts'
import { translate } from '../words/translate.ts'

const SEPARATORS: Record<string, string> = { '\t': '⇥' }

export function previewPart(
  locale: Locale,
  { table, name, format, remarks }: Understanding,
  preview: Preview,
): Markup {
  const { lines, first, differing, smallest, largest, earliest, latest, sums, skipped } = preview
  const timeZone = format.timeZone ?? 'UTC'
  const at = (moment: Date | null) => momentText(moment, locale, timeZone)
  const separator = table.separator === null ? null : (SEPARATORS[table.separator] ?? table.separator)
  const file = [table.container.toUpperCase(), table.encoding, separator]
  const facts: FactLine[] = [
    [translate(locale, 'linesRead'), String(lines)],
    [translate(locale, 'statementTime'), earliest && latest ? `${at(earliest)} – ${at(latest)}` : null],
    ...sums.flatMap(({ currency, came, cameMinor, went, wentMinor, feeMinor }): FactLine[] => [
      [translate(locale, 'sumCame', { count: String(came) }), statedText(cameMinor, currency, locale)],
      [translate(locale, 'sumWent', { count: String(went) }), statedText(wentMinor, currency, locale)],
      [translate(locale, 'column_fee'), feeMinor === 0 ? null : statedText(feeMinor, currency, locale)],
    ]),
    [translate(locale, 'smallest'), smallest && lineSum(smallest, locale)],
    [translate(locale, 'largest'), largest && lineSum(largest, locale)],
    ...SKIPS.map((why): FactLine => {
      const { count, lines: numbers } = skipped[why]
      const listed = `${numbers.join(', ')}${count > numbers.length ? ', …' : ''}`
      return [
        translate(locale, `skipped_${why}`),
        count === 0 ? null : translate(locale, 'linesListed', { count: String(count), lines: listed }),
      ]
    }),
    [translate(locale, 'fileKind'), file.filter((part) => part !== null).join(' · ')],
    [
      translate(locale, 'fileFormat'),
      name === 'guessed'
        ? translate(locale, 'formatGuessed')
        : name === 'own'
          ? translate(locale, 'formatOwn')
          : name,
    ],
    [translate(locale, 'dateOrder'), translate(locale, `dates_${format.dates ?? 'ymd'}`)],
    [translate(locale, 'decimalSign'), format.units === 'minor' ? null : `12${format.decimalSign ?? '.'}50`],
    [translate(locale, 'statementZone'), timeZone],
  ]
  return html`${remarks.map((remark) => html`<p class="hint">${remarkText(locale, remark)}</p>`)}
    <h2>${translate(locale, 'firstLines')}</h2>
    ${linesPart(locale, timeZone, first)}
    ${differing.length === 0 ? null : html`<h2>${translate(locale, 'differingLines')}</h2>${linesPart(locale, timeZone, differing)}`}
    <h2>${translate(locale, 'asUnderstood')}</h2>
    ${factList(facts)}`
}

function remarkText(locale: Locale, remark: Remark): string {
  if (remark.about === 'currency') return translate(locale, 'remarkCurrency', { said: remark.said })
  const { column, credit } = remark
  return translate(locale, 'remarkDirection', { column, word: credit === '' ? '–' : credit })
}

/** Money that was taken has come. Of all other kinds a positive amount has gone. */
const signedMinor = ({ kind, amountMinor }: ShownLine) => (kind === 'taken' ? amountMinor : 0 - amountMinor)

const lineSum = (line: ShownLine, locale: Locale) =>
  `${statedText(signedMinor(line), line.currency, locale)}, ${translate(locale, 'lineNumber', { line: String(line.line) })}`

/** What the file writes, and what it was understood as. */
function linesPart(locale: Locale, timeZone: string, lines: readonly ShownLine[]): Markup {
  return html`<ul class="rows">${lines.map((line) => {
    const moment = momentText(line.at, locale, timeZone)
    return html`<li><div class="row">
      <strong>${statedText(signedMinor(line), line.currency, locale)}</strong>
      <span>${moment}</span>
      <span class="hint">${translate(locale, 'asWritten', { line: String(line.line), day: line.dayText, amount: line.amountText })} ${translate(locale, `kind_${line.kind}`)}</span>
    </div></li>`
  })}</ul>`
}

/** Lines that an earlier statement has with another amount. */
export function changedPart(locale: Locale, changed: readonly ChangedLine[]): Markup {
  return html`<ul class="rows">${changed.map(
    ({ line, amountMinor, currency, storedMinor, storedCurrency }) => html`<li><div class="row">
      <strong>${translate(locale, 'lineNumber', { line: String(line) })}</strong>
      <span class="hint">${translate(locale, 'bothFiles', { now: statedText(amountMinor, currency, locale), before: statedText(storedMinor, storedCurrency, locale) })}</span>
    </div></li>`,
  )}</ul>`
}
