/**
 * `reconcile statement` and `reconcile columns`: reads a statement, asks what is unclear, shows the lines, and compares them with the
 * ledger.
 */
import type { Context } from '../../../context.ts'
import { isTimeZone } from '../../../contract/time-zone.ts'
import { AppError } from '../../../errors.ts'
import { digestOf, type Examined, examineFile, examineStatement } from '../../../reports/examine.ts'
import { listFindings } from '../../../reports/findings.ts'
import { ENCODINGS } from '../../../reports/reading/encoding.ts'
import { rolesFound } from '../../../reports/reading/guess.ts'
import type { Answers, Question } from '../../../reports/reading/question.ts'
import { READY_NAMES } from '../../../reports/reading/ready.ts'
import { type Reconciled, reconcile as reconcileStatement } from '../../../reports/reconcile.ts'
import { expectFile } from '../../../reports/withdraw.ts'
import { currenciesNamed } from '../../../written/currency.ts'
import { DAY_ORDERS } from '../../../written/time.ts'
import { ADMIN, type CommandTools, shellWord, verb } from '../../command.ts'
import { DRY_RUN } from '../../dry-run.ts'
import { type Flag, optional, optionalChoice, repeatable, required, toggle } from '../../flag.ts'
import { openGivenFile } from '../../given-file.ts'
import { counted, moment, pairs, paragraphs, table } from '../../layout.ts'
import { findingsText } from './findings-text.ts'
import {
  changedText,
  choicesOf,
  DIGEST_SHOWN,
  flagsOf,
  leadOf,
  previewText,
  questionText,
} from './statement-text.ts'

export const ACCOUNT = required('ID', "the provider account's id (acc_...)")
const FILE = required('FILE', 'the statement: CSV, XLSX, camt, MT940 or OFX; - reads standard input')
const SHOWN = 20

function currencyIn(text: string): string {
  const [only, ...others] = currenciesNamed(text.trim())
  if (only !== undefined && others.length === 0) return only
  throw new AppError('validation_failed', {
    message: `must be the code of a currency, such as USD, not "${text}".`,
  })
}

function zoneIn(text: string): string {
  if (isTimeZone(text)) return text
  throw new AppError('validation_failed', {
    message: `must be a time zone such as Asia/Yerevan, not "${text}".`,
  })
}

/** Flags for how a file is read, where the file itself does not show it. */
export const READING = {
  encoding: optionalChoice('NAME', 'the encoding of the file', ENCODINGS),
  decimalSign: optionalChoice('SIGN', 'the sign before the decimals', ['.', ','] as const),
  threeDecimals: toggle('amounts have three decimals, so 1.250 is one and a quarter'),
  dates: optionalChoice('ORDER', 'the order of year, month and day', DAY_ORDERS),
  timeZone: {
    ...optional('Z', "the time zone of times without an offset; default the shop's"),
    read: ([text]) => (text === undefined ? undefined : zoneIn(text)),
  } satisfies Flag<string | undefined>,
  currency: {
    ...optional('C', 'the currency, if the file does not say it'),
    read: ([text]) => (text === undefined ? undefined : currencyIn(text)),
  } satisfies Flag<string | undefined>,
  credit: optional('TEXT', 'the text of the column direction for money that came'),
  unsigned: optionalChoice('AS', 'what amounts without a sign are', ['came', 'went'] as const),
  status: repeatable('TEXT', 'leave out lines with another status'),
  feeSign: optionalChoice('SIGN', 'how a fee that was kept is written', ['plus', 'minus'] as const),
  equalIds: optionalChoice('AS', 'lines with one id and different amounts: both count', ['both'] as const),
}

export const statement = verb({
  name: 'statement',
  needs: 'operator',
  summary: 'Compare a statement with the books',
  flags: {
    account: ACCOUNT,
    file: FILE,
    mapping: optionalChoice('NAME', 'what the columns are; default as they are recognized', READY_NAMES),
    ...READING,
    replaces: repeatable('FILE', 'an earlier file, or its digest, whose lines this one has anew'),
    yes: toggle('store without asking on the terminal'),
    dryRun: DRY_RUN,
  },
  examples: ['--account acc_01... --file balance.csv', '--account acc_01... --file bank.csv --dry-run'],
  async run(ctx, { account, file: path, mapping: format, replaces: named, yes, dryRun, ...reading }, tools) {
    const { ask, print, operator: by } = tools
    const replaces = await Promise.all(named.map((each) => digestNamed(ctx, account, each)))
    const file = await openGivenFile(path)
    const command = (answers: Answers) =>
      `${ADMIN} reconcile --account ${account} --file ${shellWord(path)}${format ? ` --mapping ${format}` : ''} ${flagsOf(answers)}`.trim()
    const examined = await untilClear(ask, answersIn(reading), {
      examine: (answers) => examineStatement(ctx, account, { file, format, answers, replaces }),
      command,
    })
    const { understanding, preview, changed } = examined
    if (!preview) throw new Error('Bug! A statement without questions has a preview.')
    const shown = previewText(understanding, preview)
    if (dryRun) return { json: { account, dryRun, format: understanding.name, preview }, text: shown }
    if (changed.length > 0)
      throw new AppError('validation_failed', { reason: 'statement_question', message: changedText(changed) })
    if (preview.lines > 0) print({ text: `${shown}\n` })
    if (ask && !yes && !/^y(es)?$/i.test(await ask('Is this right? Type yes to store these lines: ')))
      return { json: { account, stored: false }, text: 'Nothing was stored.' }
    const result = await reconcileStatement(ctx, account, examined, { by })
    const { findings } = await listFindings(ctx, account, { limit: SHOWN })
    return {
      json: { account, ...result, preview, open: findings },
      text: paragraphs(
        resultText(result),
        findings.length > 0 && `Open differences\n${findingsText(findings)}`,
      ),
    }
  },
})

/** A statement is named by its digest, or by the file itself. */
async function digestNamed(ctx: Context, account: string, named: string): Promise<string> {
  if (/^[0-9a-f]{8,64}$/.test(named)) return (await expectFile(ctx, account, named)).digest
  const { digest } = await expectFile(ctx, account, await digestOf(await openGivenFile(named)))
  return digest
}

type Reading = { [Name in keyof typeof READING]: ReturnType<(typeof READING)[Name]['read']> }

/** Leaves out the flags that are not given. */
export function answersIn({ threeDecimals, status, ...rest }: Reading): Answers {
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  return {
    ...given,
    ...(threeDecimals && { threeDecimals }),
    ...(status.length > 0 && { statuses: status }),
  }
}

type StatementSteps = { examine(answers: Answers): Promise<Examined>; command(answers: Answers): string }

/** Asks on the terminal until no question is open. Without a terminal the first questions refuse the file. */
async function untilClear(ask: CommandTools['ask'], given: Answers, ways: StatementSteps): Promise<Examined> {
  const examined = await ways.examine(given)
  const { questions } = examined.understanding
  const [question] = questions
  if (!question) return examined
  if (!ask || question.about === 'columns')
    throw new AppError('validation_failed', {
      reason: question.about === 'columns' ? 'statement_columns' : 'statement_question',
      message: paragraphs(
        ...questions.map((each) => questionText(each)),
        question.about === 'columns'
          ? 'Say once what the columns are: reconcile format. Its --help has an example.'
          : `Then run it again: ${ways.command(given)} ...`,
      ),
    })
  return untilClear(ask, { ...given, ...(await answerTo(question, ask)) }, ways)
}

async function answerTo(question: Question, ask: NonNullable<CommandTools['ask']>): Promise<Answers> {
  if (question.about === 'currency')
    return { currency: currencyIn(await ask(`${leadOf(question)}\nIts code, such as USD: `)) }
  if (question.about === 'equalIds') {
    if (/^y(es)?$/i.test(await ask(`${questionText(question)}\nAre they different movements? Type yes: `)))
      return { equalIds: 'both' }
    throw new AppError('validation_failed', { message: 'Nothing was stored.' })
  }
  if (question.about === 'status')
    return { statuses: await chooseWords(question.words, leadOf(question), ask) }
  const choices = choicesOf(question)
  const listed = choices.map(({ meaning }, at) => `  ${at + 1}  ${meaning}`).join('\n')
  const choice = choices[Number(await ask(`${leadOf(question)}\n${listed}\nNumber: `)) - 1]
  if (choice) return choice.answers
  throw new AppError('validation_failed', { message: 'That is none of the numbers. Nothing was stored.' })
}

async function chooseWords(
  words: readonly string[],
  lead: string,
  ask: NonNullable<CommandTools['ask']>,
): Promise<string[]> {
  const listed = words.map((word, at) => `  ${at + 1}  ${word}`).join('\n')
  const given = (await ask(`${lead}\n${listed}\nNumbers, with commas between them: `)).split(/[\s,]+/)
  const chosen = given.filter((each) => each !== '').map((each) => words[Number(each) - 1])
  if (chosen.length > 0 && !chosen.includes(undefined)) return chosen.filter((word) => word !== undefined)
  throw new AppError('validation_failed', { message: 'That is none of the numbers. Nothing was stored.' })
}

function resultText(result: Reconciled): string {
  const { lines, newLines, from, until, complete, settled } = result
  return paragraphs(
    pairs([
      [
        'Statement',
        `${result.statement.slice(0, DIGEST_SHOWN)}, ${moment(from)} to ${moment(until)} (${result.format})`,
      ],
      ['Lines', `${lines}, of them new or changed: ${newLines}`],
      ['Matched', String(result.matched)],
      ['Missing here', String(result.missingHere)],
      ['Missing there', String(result.missingThere)],
      ['Differing', String(result.differing)],
      ['Fees, payouts, others', `${result.fees}, ${result.payouts}, ${result.others}`],
      ['Settled', settled > 0 ? `${counted(settled, 'earlier difference')}` : null],
      ['Waiting', result.waiting > 0 ? `${result.waiting} for the next statement` : null],
    ]),
    complete === null &&
      'The statements cover less than two days, so nothing can be missing there yet. Add the statements before or after.',
  )
}

export const columns = verb({
  name: 'columns',
  needs: 'viewer',
  summary: 'Show the columns of a statement, with a guess',
  flags: { file: FILE },
  examples: ['--file statement.csv'],
  async run(ctx, { file }) {
    const { table: found, name, questions } = await examineFile(ctx, await openGivenFile(file))
    const { names, sample } = found.layout
    const guess = rolesFound(found.layout)
    const ready = name === 'guessed' || name === 'own' ? null : name
    const rows = names.map((each, at) => [each, sample[at] ?? ''])
    const next = `${ADMIN} reconcile --account ACCOUNT --file ${shellWord(file)}`
    const isOpen = questions.some(({ about }) => about === 'columns')
    return {
      json: { columns: names, ready, guess, questions },
      text: paragraphs(
        table(['Column', 'First line'], rows),
        ready ? `The ready format ${ready} fits.` : pairs(Object.entries(guess)),
        ...questions.map((each) => questionText(each)),
        isOpen
          ? `Say what the columns are:\n  ${ADMIN} reconcile format --account ACCOUNT ${Object.entries(guess)
              .map(([role, column]) => `--column ${shellWord(`${role}=${column}`)}`)
              .join(' ')}`
          : `See how it is read, and compare it with the books:\n  ${next} --dry-run\n  ${next}`,
      ),
    }
  },
})
