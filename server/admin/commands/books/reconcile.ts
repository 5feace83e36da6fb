/** `reconcile`: compares the statements of providers and banks with the books. */
import { AppError } from '../../../errors.ts'
import { setStatementFormat } from '../../../reports/examine.ts'
import { listFindings } from '../../../reports/findings.ts'
import { listFiles } from '../../../reports/withdraw.ts'
import { ADMIN, type Noun, verb } from '../../command.ts'
import { count, optionalChoice, repeatable, toggle } from '../../flag.ts'
import { paragraphs } from '../../layout.ts'
import { filesText, findingsText } from './findings-text.ts'
import { ACCOUNT, answersIn, columns, READING, statement } from './statement.ts'

const LIMIT_MAX = 500

const LISTS = ['orders', 'movements', 'texts']

const format = verb({
  name: 'format',
  needs: 'operator',
  summary: 'Say what the columns of statements are',
  flags: {
    account: ACCOUNT,
    column: repeatable(
      'NAME=COLUMN',
      'at, time, zone, amount, debit, credit, currency, id, kind, fee, feeCurrency, direction, feeDirection, status, payout, paidAmount, paidCurrency, orders, texts or movements, with the name of the column, or its number where the file has no names',
    ),
    kind: repeatable(
      'TEXT=KIND',
      'what a text of the column kind means: taken, returned, disputed, fee, payout or other',
    ),
    otherKinds: optionalChoice('AS', 'what other texts of the column kind mean', ['other', 'sign'] as const),
    units: optionalChoice('UNITS', 'minor for amounts without decimals sign', ['major', 'minor'] as const),
    noHead: toggle('the file has no names of columns; they are called 1, 2, 3'),
    ...READING,
  },
  examples: [
    '--account acc_01... --column at=Date --column amount=Amount --column orders=Reference --currency AMD --dates dmy',
  ],
  async run(ctx, { account, column, kind, noHead, units, otherKinds, ...reading }) {
    const single: Record<string, string> = {}
    const lists: Record<string, string[]> = {}
    for (const [name, value] of column.map(splitPair)) {
      if (LISTS.includes(name)) lists[name] = [...(lists[name] ?? []), value]
      else single[name] = value
    }
    const stored = await setStatementFormat(ctx, account, {
      ...answersIn(reading),
      ...(units && { units }),
      ...(otherKinds && { otherKinds }),
      ...(noHead && { head: 'none' }),
      columns: { ...single, ...lists },
      kinds: Object.fromEntries(kind.map(splitPair)),
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
  summary: 'List the open differences and the statements',
  flags: {
    account: ACCOUNT,
    limit: count('N', 'the number of differences', { max: LIMIT_MAX, fallback: 50 }),
  },
  examples: ['--account acc_01...'],
  async run(ctx, { account, limit }) {
    const { findings, next } = await listFindings(ctx, account, { limit })
    const statements = await listFiles(ctx, account)
    const text = findings.length > 0 ? findingsText(findings) : 'No differences are open.'
    return {
      json: { account, findings, more: next !== null, statements },
      text: paragraphs(
        text,
        next && 'There are more. Give a larger --limit.',
        statements.length > 0 && `Statements\n${filesText(statements)}`,
      ),
    }
  },
})

export const reconcile: Noun = {
  name: 'reconcile',
  summary: 'Compare statements of providers and banks with the books',
  verbs: [statement, columns, format, list],
  plain: 'statement',
}
