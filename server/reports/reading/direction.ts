/**
 * Whether money came or went, where the amounts have no sign: by a column with words for it.
 * Rule: words that nobody knows are asked about. Without the question a return would count as a sale.
 */

import type { Layout } from './describe.ts'
import type { Evidence } from './evidence.ts'
import { unreadable } from './file.ts'
import type { StatementFormat } from './format.ts'
import type { Question } from './question.ts'
import { isOfStatuses } from './status.ts'
import { REVERSAL_NAME, type Signs, type Words } from './words.ts'

const CAME =
  /^(c|cr|crdt|credit|credited|in|incoming|deposit|sale|h|haben|gutschrift|к|кт|кредит|приход|зачисление|поступление|продажа|կրեդիտ|մուտք|bij|ind|inn|insättning|indsat|k|kredit|kredīts|uznanie|wpływ|příchozí|příjem|jóváírás|crédit|crédito|entrada|abono|avere|haber|\+)$/i
const WENT =
  /^(d|dr|db|dbit|debit|debited|out|outgoing|withdrawal|refund|refunded|chargeback|reversal|s|soll|lastschrift|д|дт|дебет|расход|списание|возврат|դեբետ|ելք|վերադարձ|af|uit|ud|ut|uttag|debet|debets|obciążenie|wydatek|odchozí|výdaj|terhelés|débit|débito|saída|saida|cargo|dare|debe|-|−|–)$/i

const withoutPoint = (word: string) => word.replace(/\.$/, '')
const hasCome = (word: string) => CAME.test(withoutPoint(word))
const hasGone = (word: string) => WENT.test(withoutPoint(word))

/** Words about a sale and its return. In a bank's statement a refund is also money that came. */
const OF_SALES = /^(sale|продажа|refund(ed)?|chargeback|reversal|возврат|վերադարձ)$/i
/** How words for money that went, or went back, begin, which may have others beside them: "Refund of an order", "Payment reversed". */
const MAY_HAVE_GONE = new RegExp(
  `(?<!\\p{L})(?:${[
    'refund|return|revers|chargeback|cancel|void|annul|payout|withdraw|outgoing|fees?(?!\\p{L})|commission',
    'возврат|отмен|выплат|вывод|списан|исходящ|комисси|վերադարձ|չեղ|ելք|միջնորդավճար',
    'rembours|reembolso|devoluci|rimborso|zwrot|terugbetal',
  ].join('|')})|storno|сторно|rück(?:buchung|lastschrift|zahlung|erstattung)|auszahlung|abbuchung|gebühr`,
  'iu',
)
/** The words of a row that is no reversal, in a column that marks reversals. */
const NO_REVERSAL =
  /^(?:n|no|none|not[\s_-].*|non|false|nein|kein\p{L}*|nicht[\s_-].*|нет|не[\s_-].*|ոչ|չի .*|n\/?a|null|[-–—−]|0+(?:[.,]0+)?)$/iu
const LABEL_WORDS_MAX = 3

type FoundDirection = { column?: string; credit?: string; questions: Question[] }
type DirectionChoice = { at: number; column: string; words: string[] }

/** Returns the column that says the direction, the word for money that came, or the question. */
export function findDirection(
  format: StatementFormat,
  { evidence, layout }: { evidence: Evidence; layout: Layout },
): FoundDirection {
  const { columns, credit, unsigned } = format
  const choices = choicesOf(evidence, layout)
  // The words for kinds say what each line is.
  const isKnown = unsigned !== undefined || Object.keys(format.kinds).length > 0
  if (!isKnown && !hasSigns(format, evidence)) expectNoReversal(evidence, choices)
  if (columns.direction !== undefined) {
    const words = [...evidence.words.direction.keys()]
    if (columns.amount !== undefined)
      expectOneSign(evidence.few.get(layout.names.indexOf(columns.direction)), credit)
    if (credit === undefined) return byWords(words)
    return { questions: hasNewWord(words, format) ? [{ about: 'direction', words: filledOf(words) }] : [] }
  }
  if (columns.amount === undefined || isKnown) return { questions: [] }
  const known = choices.find(({ words }) => isOfDirection(words))
  if (evidence.hasMinus) {
    const hasOwnSigns = !known || expectOneSign(evidence.few.get(known.at), credit) === 'amounts'
    return hasOwnSigns ? { questions: [] } : { column: known.column, ...byWords(known.words) }
  }
  const { marked, unmarked } = evidence
  if (marked && unmarked) return { questions: [{ about: 'unsigned', marked, ...unmarked }] }
  const chosen = choices.find(({ words }) => credit !== undefined && words.includes(credit))
  if (chosen) {
    const { column, words } = chosen
    return { column, questions: hasNewWord(words, format) ? [{ about: 'direction', words, column }] : [] }
  }
  if (known) return { column: known.column, ...byWords(known.words) }
  const questions =
    choices.find(({ at, words }) => at === layout.roles.kind && words.length > 1) ??
    choices.find(
      ({ column, words }) =>
        !REVERSAL_NAME.test(column) &&
        !isOfStatuses(words) &&
        (words.some(mayHaveGone) || isPartlyOfDirection(words)),
    )
  return {
    questions: questions ? [{ about: 'direction', words: questions.words, column: questions.column }] : [],
  }
}

const choicesOf = ({ few }: Evidence, { names }: Layout): DirectionChoice[] =>
  [...few].flatMap(([at, seen]) => {
    const column = names[at] ?? ''
    const words = filledOf([...seen.keys()])
    return column === '' || words.length === 0 ? [] : [{ at, column, words }]
  })

/**
 * Such as C and RC: what the other one means to the sign, nobody knows. A dash alone stands for an empty cell. One letter may be any text,
 * so it counts only beside a word that ends with it.
 */
function isPartlyOfDirection(words: readonly string[]): boolean {
  const others = words.filter((word) => !hasCome(word) && !hasGone(word)).map((word) => word.toLowerCase())
  const known = words.filter((word) => hasCome(word) || (hasGone(word) && /\p{L}/u.test(word)))
  return known.map(withoutPoint).some((word) => {
    if (word.length > 1) return others.length > 0
    return others.some((other) => withoutPoint(other).endsWith(word.toLowerCase()))
  })
}

/** If debits have their own column and each has a minus, the minus does not mark a reversal. */
const hasSigns = ({ columns }: StatementFormat, { hasMinus, debits }: Evidence) =>
  hasMinus && (columns.amount !== undefined || debits.plus > 0 || debits.minus === 0)

/** @throws AppError validation_failed for a line that its file marks as a reversal, beside amounts without a sign */
function expectNoReversal({ few }: Evidence, choices: readonly DirectionChoice[]): void {
  for (const { at, column, words } of choices.filter((each) => REVERSAL_NAME.test(each.column)))
    for (const word of words) {
      const line = few.get(at)?.get(word)?.plus?.line
      if (line === undefined || NO_REVERSAL.test(word)) continue
      throw unreadable(
        `Line ${line}: the column ${column} marks a reversal (${word}), and its amount has no sign. Export the statement with signs. If no line is a reversal, leave out this column, or answer with --unsigned came.`,
        'statement_line',
        line,
      )
    }
}

const mayHaveGone = (word: string) => MAY_HAVE_GONE.test(word) && word.split(/\s+/).length <= LABEL_WORDS_MAX

/**
 * Returns what has the sign: the amounts, or the words beside amounts without one. A minus behind a word for money that came is a
 * reversal there.
 * @throws AppError validation_failed where the words and the signs contradict each other
 */
function expectOneSign(words: Words | undefined, credit: string | undefined): 'amounts' | 'words' {
  const all = [...(words ?? [])].filter(([word]) => word !== '' && !OF_SALES.test(word))
  const isCame = (word: string) => (credit === undefined ? hasCome(word) : word === credit)
  const came = all.filter(([word]) => isCame(word)).map(([, signs]) => signs)
  const went = all.filter(([word]) => !isCame(word) && hasGone(word)).map(([, signs]) => signs)
  const first = (signs: Signs[], of: keyof Signs) => signs.find((each) => each[of])?.[of] ?? null
  const [cameMinus, wentMinus] = [first(came, 'minus'), first(went, 'minus')]
  const wentPlus = first(went, 'plus')
  const isReversal = first(came, 'plus') !== null && wentMinus === null
  const wrong = cameMinus && !isReversal && (wentMinus || wentPlus) ? cameMinus : wentPlus && wentMinus
  if (!wrong) return wentPlus ? 'words' : 'amounts'
  throw unreadable(
    `Line ${wrong.line}: the amount has a minus, and the word ${wrong.text} beside it says something else than in other lines. Leave out either the signs or the column of the words, and read the file again.`,
    'statement_line',
    wrong.line,
  )
}

/** Answers about the words of one file do not cover a word that first comes in a later file. */
export const hasNewWord = (words: readonly string[], { wordsKnown, credit }: StatementFormat) =>
  wordsKnown !== undefined &&
  filledOf(words).some((word) => word !== credit && !wordsKnown.includes(word) && !hasGone(word))

export const filledOf = (words: readonly string[]) => words.filter((word) => word !== '')

/** A dash alone stands for an empty cell, so a column of dashes decides nothing. */
function isOfDirection(words: readonly string[]): boolean {
  const went = words.filter(hasGone)
  const isEach = words.every((word) => hasCome(word) || hasGone(word))
  return (
    isEach && went.length > 0 && (went.length < words.length || went.some((word) => /\p{L}{2}/u.test(word)))
  )
}

function byWords(all: readonly string[]): FoundDirection {
  const words = filledOf(all)
  const came = words.filter(hasCome)
  const isClear = words.every((word) => hasCome(word) || hasGone(word)) && came.length < 2
  return isClear ? { credit: came[0] ?? '', questions: [] } : { questions: [{ about: 'direction', words }] }
}
