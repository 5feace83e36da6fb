/**
 * How a statement is to be read: what a person has said, what a ready format says, and what the whole file shows, in this order.
 * Rule: what can be read in two ways is a question, and a file with an open question is not read.
 */
import { createHash } from 'node:crypto'
import { type Cells, cellsBy, foldName } from './columns.ts'
import { decide, lastDayAt } from './decide.ts'
import type { Layout } from './describe.ts'
import { filledOf } from './direction.ts'
import { type Evidence, gatherEvidence } from './evidence.ts'
import type { StatementFile } from './file.ts'
import { findMissingColumns, StatementFormat } from './format.ts'
import { guessFormat } from './guess.ts'
import type { Answers, Question, Remark } from './question.ts'
import { findReadyFormat, type ReadyName, readyFormat } from './ready.ts'
import { openTable, type Table } from './table.ts'

export type Understanding = {
  table: Table
  name: ReadyName | 'own' | 'guessed'
  format: StatementFormat
  cells: Cells
  evidence: Evidence
  /** A line with a later day is refused. */
  lastDay: Date
  /** SHA-256 of the names of the columns. */
  head: string
  questions: Question[]
  remarks: Remark[]
}

type ReadingRequest = {
  /** What the account's statements look like, as a person has described it. */
  own: StatementFormat | null
  /** The ready format that a person has chosen. */
  chosenFormat: ReadyName | undefined
  /** The earlier answers about this head, and the new ones. */
  answersOf(head: string): Promise<Answers>
  timeZone: string
  /** No statement has days of next year. */
  now: Date
}

/** @throws AppError validation_failed for a file that is not a statement, or that contradicts itself */
export async function understand(file: StatementFile, wanted: ReadingRequest): Promise<Understanding> {
  const { own, chosenFormat } = wanted
  const described = chosenFormat ? readyFormat(chosenFormat) : own
  const isKnown = (names: readonly string[]) => {
    const folded = names.map(foldName)
    const isOwn =
      described !== null &&
      described.head === undefined &&
      neededColumns(described).every((name) => folded.includes(foldName(name)))
    return isOwn || findReadyFormat(names) !== null
  }
  const hasNoHead = described?.head === 'none'
  const seen = await openTable(file, { isKnown, hasNoHead })
  // The head as the file is read without a word of anybody. A person's answer about the encoding belongs to it.
  const head = digestOfHead(seen.layout.names)
  const answers = await wanted.answersOf(head)
  const encoding = answers.encoding ?? described?.encoding
  const isOther = encoding !== undefined && seen.encoding !== null && encoding !== seen.encoding
  const table = isOther ? await openTable(file, { isKnown, hasNoHead, encoding }) : seen
  const { names } = table.layout
  const chosen = chooseFormat(table.layout, described, chosenFormat)
  const format = { ...chosen.format, ...answers }
  const cells = cellsBy(format, names)
  const missing = missingOf(format, names)
  const base = { table, cells, head, lastDay: lastDayAt(wanted.now) }
  const asking = async (question: Question): Promise<Understanding> => ({
    ...base,
    name: chosen.name ?? 'guessed',
    format,
    evidence: await gatherEvidence(emptied(table), format, cells),
    questions: [question],
    remarks: [],
  })
  if (encoding === undefined && table.readings.length > 0) return asking(encodingQuestion(table.readings))
  if (missing.length > 0 || chosen.name === null)
    return asking({ about: 'columns', missing, columns: names.filter((name) => name !== '') })
  const evidence = await gatherEvidence(table, format, cells)
  const { decided, questions, remarks } = decide(format, { evidence, layout: table.layout, now: wanted.now })
  const whole = { timeZone: wanted.timeZone, ...format, ...decided }
  return {
    ...base,
    name: chosen.name,
    format: whole,
    cells: cellsBy(whole, names),
    evidence,
    questions,
    remarks,
  }
}

const encodingQuestion = (readings: Table['readings']): Question => ({
  about: 'encoding',
  choices: readings.map(({ encoding, text }) => ({ text, answers: { encoding } })),
})

const emptied = (table: Table): Table => ({ ...table, rows: async function* () {} })

function neededColumns({ columns }: StatementFormat): string[] {
  return [columns.at, columns.amount, columns.debit, columns.credit].filter((each) => each !== undefined)
}

/** Columns are compared as the reader of the cells compares them. */
function missingOf(format: StatementFormat, names: readonly string[]): string[] {
  const folded = new Map(names.map((name) => [foldName(name), name]))
  return findMissingColumns(format, names).filter((name) => !folded.has(foldName(name)))
}

function digestOfHead(names: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify(names.map(foldName)))
    .digest('hex')
}

type Chosen = { name: ReadyName | 'own' | 'guessed' | null; format: StatementFormat }

/** An account may have statements of two kinds, of its provider and of its bank. */
function chooseFormat(
  layout: Layout,
  described: StatementFormat | null,
  chosenFormat: ReadyName | undefined,
): Chosen {
  const ready = findReadyFormat(layout.names)
  if (described && chosenFormat) return { name: chosenFormat, format: described }
  if (described && missingOf(described, layout.names).length === 0) return { name: 'own', format: described }
  if (ready) return { name: ready, format: readyFormat(ready) }
  const guess = guessFormat(layout)
  if (guess) return { name: 'guessed', format: guess }
  if (described) return { name: 'own', format: described }
  return { name: null, format: StatementFormat.parse({ columns: { at: '?', amount: '?' } }) }
}

const WORDS_MAX = 100

/** Returns the words about which a person has answered. */
export function wordsAnswered({ format, evidence, table }: Understanding): string[] {
  const { direction, status } = evidence.words
  const at = table.layout.names.indexOf(format.columns.direction ?? '')
  const words = [...direction.keys(), ...status.keys(), ...(evidence.few.get(at)?.keys() ?? [])]
  return [...new Set(filledOf(words))].slice(0, WORDS_MAX)
}
