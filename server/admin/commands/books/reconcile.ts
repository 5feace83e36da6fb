/** `reconcile`: compares the statements of providers and banks with the books. */
import type { CurrencyCode } from '../../../contract/fields.ts'
import { AppError } from '../../../errors.ts'
import { decimalAmount } from '../../../payments/money.ts'
import { type Advice, closeFindingByHand, type Finding, listFindings } from '../../../reports/findings.ts'
import { setStatementFormat } from '../../../reports/formats.ts'
import { guessColumns } from '../../../reports/guess.ts'
import { type Reconciled, reconcile as reconcileStatement } from '../../../reports/reconcile.ts'
import { READY_NAMES } from '../../../reports/statement-format.ts'
import { readColumns } from '../../../reports/statement-lines.ts'
import { ADMIN, type Noun, shellWord, verb } from '../../command.ts'
import { count, optional, optionalChoice, repeatable, required, WHY } from '../../flag.ts'
import { openGivenFile } from '../../given-file.ts'
import { counted, moment, pairs, paragraphs, table } from '../../layout.ts'

const ACCOUNT = required('ID', "the provider account's id (acc_...)")
const FILE = required('FILE', 'the statement as CSV; - reads standard input')
const SHOWN = 20
const LIMIT_MAX = 500

const TODO: Record<Advice, string> = {
  find_its_owner: 'Look for it at the provider. Another system may use the account.',
  ask_about_payment: 'The provider has more than the books. Run payment ask, then payment show.',
  ask_provider: 'The books have more than the provider. Ask the provider for this movement.',
  compare_amounts: 'The amounts differ. Run payment ask, and compare with the provider.',
  compare_currencies: 'The currencies differ. Look at the payment at the provider.',
}

const statement = verb({
  name: 'statement',
  needs: 'operator',
  summary: 'Compare a statement with the books',
  flags: {
    account: ACCOUNT,
    file: FILE,
    mapping: optionalChoice('NAME', 'what the columns are; default as they are recognized', READY_NAMES),
  },
  examples: ['--account acc_01... --file balance.csv'],
  async run(ctx, { account, file, mapping }) {
    const result = await reconcileStatement(ctx, account, {
      file: await openGivenFile(file),
      format: mapping,
    })
    const { findings } = await listFindings(ctx, account, { limit: SHOWN })
    return {
      json: { account, ...result, open: findings },
      text: paragraphs(
        resultText(result),
        findings.length > 0 && `Open differences\n${findingsText(findings)}`,
      ),
    }
  },
})

function resultText(result: Reconciled): string {
  const { lines, newLines, from, until, complete, settled } = result
  return paragraphs(
    pairs([
      ['Statement', `${moment(from)} to ${moment(until)} (${result.format})`],
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

function findingsText(findings: Finding[]): string {
  const rows = findings.map((each) => [
    each.id,
    each.kind.replace('_', ' '),
    minor(each.oursMinor, each.currency),
    minor(each.theirsMinor, each.theirCurrency),
    TODO[each.advice],
  ])
  return table(['Difference', 'Kind', 'Books', 'Statement', 'What to do'], rows)
}

/** A statement may be in a currency that the service does not know. */
const minor = (amountMinor: number, currency: string) =>
  `${decimalAmount(amountMinor, currency as CurrencyCode)} ${currency}`

const columns = verb({
  name: 'columns',
  needs: 'viewer',
  summary: 'Show the columns of a statement, with a guess',
  flags: { file: FILE },
  examples: ['--file statement.csv'],
  async run(_, { file }) {
    const found = await readColumns(await openGivenFile(file))
    const guess = guessColumns(found.columns)
    const flags = Object.entries(guess).map(([name, column]) => `--column ${shellWord(`${name}=${column}`)}`)
    const rows = found.columns.map((name, at) => [name, found.sample[at] ?? ''])
    return {
      json: { columns: found.columns, ready: found.ready, guess },
      text: paragraphs(
        table(['Column', 'First line'], rows),
        found.ready
          ? `The ready format ${found.ready} fits. Compare the statement:\n  ${ADMIN} reconcile --account ACCOUNT --file ${shellWord(file)}`
          : `Check this guess, and say what the columns are:\n  ${ADMIN} reconcile format --account ACCOUNT ${flags.join(' ')}`,
      ),
    }
  },
})

const LISTS = ['orders', 'movements']

const format = verb({
  name: 'format',
  needs: 'operator',
  summary: 'Say what the columns of statements are',
  flags: {
    account: ACCOUNT,
    column: repeatable(
      'NAME=COLUMN',
      'at, amount, currency, id, kind, fee, feeCurrency, direction, feeDirection, status, payout, paidAmount, paidCurrency, orders or movements, with the name of the column',
    ),
    kind: repeatable(
      'TEXT=KIND',
      'what a text of the column kind means: taken, returned, disputed, fee, payout or other',
    ),
    status: repeatable('TEXT', 'leave out lines with another status'),
    credit: optional('TEXT', 'the text of the column direction for money that came'),
    units: optionalChoice('UNITS', 'minor for amounts without decimals sign', ['major', 'minor'] as const),
    decimalSign: optionalChoice('SIGN', 'the sign before the decimals', ['.', ','] as const),
    dates: optionalChoice('ORDER', 'the order of year, month and day', ['ymd', 'dmy', 'mdy'] as const),
    timeZone: optional('Z', 'the time zone of times without an offset; default UTC'),
    currency: optional('C', 'the currency, if no column has it'),
  },
  examples: [
    '--account acc_01... --column at=Date --column amount=Amount --column orders=Reference --currency AMD --dates dmy',
  ],
  async run(ctx, { account, column, kind, status, ...rest }) {
    const single: Record<string, string> = {}
    const lists: Record<string, string[]> = {}
    for (const [name, value] of column.map(splitPair)) {
      if (LISTS.includes(name)) lists[name] = [...(lists[name] ?? []), value]
      else single[name] = value
    }
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
    const stored = await setStatementFormat(ctx, account, {
      ...given,
      columns: { ...single, ...lists },
      kinds: Object.fromEntries(kind.map(splitPair)),
      ...(status.length > 0 && { statuses: status }),
    })
    return {
      json: { account, format: stored },
      text: `Stored. Compare a statement:\n  ${ADMIN} reconcile --account ${account} --file FILE`,
    }
  },
})

function splitPair(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw new AppError('validation_failed', { message: `"${text}" has no "=". Write it as at=Date.` })
}

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List the open differences, oldest first',
  flags: {
    account: ACCOUNT,
    limit: count('N', 'the number of differences', { max: LIMIT_MAX, fallback: 50 }),
  },
  examples: ['--account acc_01...'],
  async run(ctx, { account, limit }) {
    const { findings, next } = await listFindings(ctx, account, { limit })
    const text = findings.length > 0 ? findingsText(findings) : 'No differences are open.'
    return {
      json: { account, findings, more: next !== null },
      text: paragraphs(text, next && 'There are more. Give a larger --limit.'),
    }
  },
})

const close = verb({
  name: 'close',
  needs: 'operator',
  summary: 'Close a difference that you have settled',
  flags: { account: ACCOUNT, difference: required('D', 'the difference, as the list shows it'), why: WHY },
  examples: ['--account acc_01... --difference "pay_01.../1 taken" --why "the provider will correct it"'],
  async run(ctx, { account: accountId, difference: id, why }, { operator }) {
    await closeFindingByHand(ctx, { accountId, id }, { by: operator, why })
    return { json: { account: accountId, closed: id }, text: 'Closed.' }
  },
})

export const reconcile: Noun = {
  name: 'reconcile',
  summary: 'Compare statements of providers and banks with the books',
  verbs: [statement, columns, format, list, close],
  plain: 'statement',
}
