/**
 * Whether money came or went, where the amounts have no sign: by a column with words for it.
 * Rule: words that nobody knows are asked about. Without the question a return would count as a sale.
 */

import type { Layout } from './describe.ts'
import type { Evidence } from './evidence.ts'
import type { StatementFormat } from './format.ts'
import type { Question } from './question.ts'

const CAME =
  /^(c|cr|crdt|credit|credited|in|incoming|deposit|sale|h|haben|gutschrift|к|кт|кредит|приход|зачисление|поступление|продажа|կրեդիտ|մուտք|bij|ind|inn|insättning|indsat|k|kredit|kredīts|uznanie|wpływ|příchozí|příjem|jóváírás|crédit|crédito|entrada|abono|avere|haber|\+)$/i
const WENT =
  /^(d|dr|db|dbit|debit|debited|out|outgoing|withdrawal|refund|refunded|chargeback|reversal|s|soll|lastschrift|д|дт|дебет|расход|списание|возврат|դեբետ|ելք|վերադարձ|af|uit|ud|ut|uttag|debet|debets|obciążenie|wydatek|odchozí|výdaj|terhelés|débit|débito|saída|saida|cargo|dare|debe|-|−|–)$/i

const withoutPoint = (word: string) => word.replace(/\.$/, '')
const hasCome = (word: string) => CAME.test(withoutPoint(word))
const hasGone = (word: string) => WENT.test(withoutPoint(word))

type Found = { column?: string; credit?: string; questions: Question[] }

/** Returns the column that says the direction, the word for money that came, or the question. */
export function findDirection(
  format: StatementFormat,
  { evidence, layout }: { evidence: Evidence; layout: Layout },
): Found {
  const { columns, credit, unsigned } = format
  if (columns.direction !== undefined) {
    const words = [...evidence.words.direction.keys()]
    if (credit === undefined) return byWords(words)
    return { questions: hasNewWord(words, format) ? [{ about: 'direction', words: filledOf(words) }] : [] }
  }
  // The words for kinds say what each line is.
  const isKnown = unsigned !== undefined || Object.keys(format.kinds).length > 0
  if (columns.amount === undefined || evidence.hasMinus || isKnown) return { questions: [] }
  const { marked, unmarked } = evidence
  if (marked && unmarked) return { questions: [{ about: 'unsigned', marked, ...unmarked }] }
  const choices = [...evidence.few].flatMap(([at, words]) => {
    const column = layout.names[at] ?? ''
    const filled = filledOf([...words])
    return column === '' || filled.length === 0 ? [] : [{ at, column, words: filled }]
  })
  const said = choices.find(({ words }) => credit !== undefined && words.includes(credit))
  if (said) {
    const { column, words } = said
    return { column, questions: hasNewWord(words, format) ? [{ about: 'direction', words, column }] : [] }
  }
  const known = choices.find(({ words }) => isOfDirection(words))
  if (known) return { column: known.column, ...byWords(known.words) }
  const kinds = choices.find(({ at, words }) => at === layout.roles.kind && words.length > 1)
  return {
    questions: kinds ? [{ about: 'direction', words: kinds.words, column: kinds.column }] : [],
  }
}

/** What was answered about the words of one file says nothing of a word that comes later. */
export const hasNewWord = (words: readonly string[], { wordsKnown, credit }: StatementFormat) =>
  wordsKnown !== undefined &&
  filledOf(words).some((word) => word !== credit && !wordsKnown.includes(word) && !hasGone(word))

export const filledOf = (words: readonly string[]) => words.filter((word) => word !== '')

/** A dash alone stands for an empty cell, so a column of nothing else says nothing. */
function isOfDirection(words: readonly string[]): boolean {
  const went = words.filter(hasGone)
  const isEach = words.every((word) => hasCome(word) || hasGone(word))
  return (
    isEach && went.length > 0 && (went.length < words.length || went.some((word) => /\p{L}{2}/u.test(word)))
  )
}

function byWords(all: readonly string[]): Found {
  const words = filledOf(all)
  const came = words.filter(hasCome)
  const isClear = words.every((word) => hasCome(word) || hasGone(word)) && came.length < 2
  return isClear ? { credit: came[0] ?? '', questions: [] } : { questions: [{ about: 'direction', words }] }
}
