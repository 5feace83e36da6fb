/** `reconcile`: compares the statements of providers and banks with the books. */
import { AppError } from '../../../errors.ts'
import { setStatementFormat } from '../../../reports/examine.ts'
import { closeFindingByHand, listFindings } from '../../../reports/findings.ts'
import { expectFile, listFiles, withdrawStatement } from '../../../reports/withdraw.ts'
import { ADMIN, type Noun, verb } from '../../command.ts'
import { count, optionalChoice, repeatable, required, toggle, WHY } from '../../flag.ts'
import { pairs, paragraphs } from '../../layout.ts'
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

const withdraw = verb({
  name: 'withdraw',
  needs: 'operator',
  summary: 'Take a statement back that was read wrongly',
  flags: {
    account: ACCOUNT,
    statement: required('DIGEST', 'the statement, as reconcile list shows it'),
    why: WHY,
  },
  examples: ['--account acc_01... --statement 3f2c9a1b0c4d --why "read with the wrong order of dates"'],
  async run(ctx, { account: accountId, statement: start, why }, { operator: by }) {
    const { digest } = await expectFile(ctx, accountId, start)
    const withdrawn = await withdrawStatement(ctx, { accountId, digest }, { by, why })
    const { lines, kept, differences, decided } = withdrawn
    return {
      json: { account: accountId, withdrawn },
      text: paragraphs(
        pairs([
          ['Withdrawn', digest],
          ['Lines', `${lines}, of them in other statements and kept: ${kept}`],
          ['Open differences gone', String(differences)],
          ['Decided differences kept', String(decided)],
        ]),
        'Payments and entries stay as they are.',
      ),
    }
  },
})

export const reconcile: Noun = {
  name: 'reconcile',
  summary: 'Compare statements of providers and banks with the books',
  verbs: [statement, columns, format, list, close, withdraw],
  plain: 'statement',
}
