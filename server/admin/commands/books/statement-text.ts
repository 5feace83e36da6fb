/** The words of a statement that was looked at: what it says, what must be asked, and the flag of each answer. */
import type { CurrencyCode } from '../../../contract/fields.ts'
import { momentIn } from '../../../merchants/moment.ts'
import { decimalAmount } from '../../../payments/money.ts'
import type { ChangedLine } from '../../../reports/examine.ts'
import type { Skip } from '../../../reports/reading/columns.ts'
import type { Preview, ShownLine } from '../../../reports/reading/preview.ts'
import type { Answers, Question, Remark } from '../../../reports/reading/question.ts'
import type { Understanding } from '../../../reports/reading/understand.ts'
import { shellWord } from '../../command.ts'
import { flagName } from '../../flag.ts'
import { counted, pairs, paragraphs, table } from '../../layout.ts'

/** A statement may be in a currency that the service does not know. */
export const money = (amountMinor: number, currency: string) =>
  `${decimalAmount(amountMinor, currency as CurrencyCode)} ${currency}`

/** How many characters of its digest name a statement. */
export const DIGEST_SHOWN = 12

const SKIPPED: Record<Skip, string> = {
  above: 'above the table',
  blank: 'blank',
  head: 'names of the columns',
  total: 'totals and balances',
  text: 'text without a date and an amount',
  section: 'rows of another section',
  status: 'with a status that moved nothing',
}

export function previewText(
  { table: { container, encoding, separator }, name, format, remarks }: Understanding,
  preview: Preview,
): string {
  const { lines, first, differing, smallest, largest, earliest, latest, sums, skipped } = preview
  const dayText = dayTextIn(format.timeZone)
  const separated =
    separator === null ? '' : `, separated by ${separator === '\t' ? 'tabs' : `"${separator}"`}`
  return paragraphs(
    pairs([
      ['File', `${container}${encoding ? `, ${encoding}` : ''}${separated}`],
      ['Format', name],
      ['Decimal sign', format.units === 'minor' ? 'none (minor units)' : format.decimalSign],
      ['Days', `${format.dates ?? 'ymd'}, ${format.timeZone}`],
      ['Lines', String(lines)],
      ['From and to', earliest && latest ? `${dayText(earliest)} to ${dayText(latest)}` : null],
      ['Smallest', smallest && lineText(smallest)],
      ['Largest', largest && lineText(largest)],
      ...sums.map(({ currency, came, cameMinor, went, wentMinor, feeMinor }): [string, string] => [
        `Sums in ${currency}`,
        `${money(cameMinor, currency)} came in ${counted(came, 'line')}, ${money(wentMinor, currency)} went in ${counted(went, 'line')}, fees ${money(feeMinor, currency)}`,
      ]),
      ...Object.entries(skipped).flatMap(([reason, { count, lines: numbers }]): [string, string][] =>
        count > 0 ? [[`Skipped, ${SKIPPED[reason as Skip]}`, skippedText(count, numbers)]] : [],
      ),
    ]),
    ...remarks.map(remarkText),
    `First lines\n${linesText(first, dayText)}`,
    differing.length > 0 &&
      `Check these: their day or amount alone could mean something else\n${linesText(differing, dayText)}`,
  )
}

const skippedText = (count: number, lines: number[]) =>
  `${count} (line ${lines.join(', ')}${count > lines.length ? ', ...' : ''})`

const remarkText = (remark: Remark) =>
  remark.about === 'currency'
    ? `The file states ${remark.found.join(' or ')}. Its amounts are read as ${remark.said}, as you have said.`
    : `The amounts have no sign. The column "${remark.column}" says whether money came${remark.credit === '' ? ': none did' : ` ("${remark.credit}")`} or went.`

const lineText = ({ line, amountMinor, currency, kind }: ShownLine) =>
  `${money(signed(kind, amountMinor), currency)} in line ${line}`

/** Days are shown in the zone in which they were read. A day without a time begins at midnight. */
const dayTextIn =
  (timeZone = 'UTC') =>
  (at: Date) =>
    momentIn(timeZone, at).replace(/ 00:00:00$/, '')

function linesText(lines: ShownLine[], dayTextOf: (at: Date) => string): string {
  const rows = lines.map(({ line, dayText, amountText, at, kind, amountMinor, currency }) => [
    String(line),
    dayText,
    amountText,
    dayTextOf(at),
    money(signed(kind, amountMinor), currency),
    kind,
  ])
  return table(['Line', 'Day as written', 'Amount as written', 'Day', 'Amount', 'Kind'], rows)
}

/** Money that was taken has come. Of all other kinds a positive amount has gone. */
const signed = (kind: ShownLine['kind'], minor: number) => (kind === 'taken' ? minor : 0 - minor)

/** The question in the file's own words, and what each answer is given with. */
export function questionText(question: Question): string {
  switch (question.about) {
    case 'columns':
      return question.missing.length > 0
        ? `The file has no column ${question.missing.map((name) => `"${name}"`).join(', ')}. Its columns are: ${question.columns.join(', ')}.`
        : `Which of these columns has the date, and which the amount? ${question.columns.join(', ')}.`
    case 'currency':
      return `${leadOf(question)} Add ${flagName('currency')} with its code, such as ${flagName('currency')} USD.`
    case 'status':
      return `${leadOf(question)} Add ${flagName('status')} with each of them, such as ${flagsOf({ statuses: question.words.slice(0, 1) })}.`
    case 'encoding':
    case 'direction':
    case 'unsigned':
    case 'amounts':
    case 'days':
      return [
        leadOf(question),
        ...choicesOf(question).map(({ meaning, flags }) => `  ${meaning}: add ${flags}`),
      ].join('\n')
    case 'equalIds':
      return [
        'These lines have one id, and different amounts:',
        ...question.lines.map(
          ({ id, line, amountMinor, currency }) => `  line ${line}: ${id}, ${money(amountMinor, currency)}`,
        ),
        `If they are different movements of money, add ${flagsOf({ equalIds: 'both' })}. If one corrects the other, delete the wrong line from the file.`,
      ].join('\n')
  }
}

/** What is asked, without the answers. */
export function leadOf(question: Question): string {
  switch (question.about) {
    case 'currency':
      return question.named === undefined
        ? 'In which currency are the amounts? The file does not say.'
        : `The column of the amounts names ${question.named}, and a column beside it has another currency. In which currency are the amounts?`
    case 'encoding':
      return 'The file is in an encoding that it does not name. Which of these can be read?'
    case 'direction':
      return question.column === undefined
        ? 'Which of these words means that money came?'
        : `The amounts have no sign. Which word of the column "${question.column}" means that money came?`
    case 'status':
      return `The file has lines with the statuses ${question.words.map((word) => `"${word}"`).join(', ')}. Which of them moved money?`
    case 'unsigned':
      return `Line ${question.marked.line} has the amount ${question.marked.text}, and line ${question.line} has ${question.text} without a sign. What does an amount without a sign mean?`
    case 'amounts':
    case 'days':
      return `Line ${question.line}: what does ${question.text} mean?`
    default:
      return ''
  }
}

/** Lines that another statement has with another amount. */
export function changedText(changed: readonly ChangedLine[]): string {
  const digests = [...new Set(changed.flatMap((each) => each.digests))]
  const flags = digests.map((each) => `${flagName('replaces')} ${each.slice(0, DIGEST_SHOWN)}`).join(' ')
  return paragraphs(
    table(
      ['Line', 'In this file', 'In an earlier one'],
      changed.map(({ line, amountMinor, currency, storedMinor, storedCurrency }) => [
        String(line),
        money(amountMinor, currency),
        money(storedMinor, storedCurrency),
      ]),
    ),
    `Another statement has these lines with another amount. If this file is right, add ${flags}. Nothing was stored.`,
  )
}

type Choice = { meaning: string; flags: string; answers: Answers }

/** The readings of a text, each with the flags that choose it. */
export function choicesOf(question: Question): Choice[] {
  if (question.about === 'amounts')
    return question.choices.map(({ minor, answers }) => ({
      meaning: (minor / 100).toFixed(2),
      flags: flagsOf(answers),
      answers,
    }))
  if (question.about === 'days')
    return question.choices.map(({ day, answers }) => ({
      meaning: new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(day),
      flags: flagsOf(answers),
      answers,
    }))
  const choice = (meaning: string, answers: Answers) => ({ meaning, flags: flagsOf(answers), answers })
  if (question.about === 'direction') {
    const words = question.words.map((credit) => choice(credit, { credit }))
    return question.column === undefined ? words : [...words, choice('all money came', { unsigned: 'came' })]
  }
  if (question.about === 'unsigned')
    return [choice('money that went', { unsigned: 'went' }), choice('money that came', { unsigned: 'came' })]
  if (question.about === 'encoding') return question.choices.map(({ text, answers }) => choice(text, answers))
  return []
}

export function flagsOf(answers: Answers): string {
  return Object.entries(answers)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]) =>
      value === true
        ? [flagName(name)]
        : [value]
            .flat()
            .map((each) => `${flagName(name === 'statuses' ? 'status' : name)} ${shellWord(String(each))}`),
    )
    .join(' ')
}
