/** `report`: what the books add up to. */

import { CURRENCY_CODES } from '../../../contract/currencies.ts'
import { counted } from '../../../messages/counted.ts'
import { getTotals, type OpenMoney, type Totals } from '../../../reports/totals.ts'
import { presentOpenMoney, presentTotals } from '../../../reports/totals-view.ts'
import { type Noun, verb } from '../../command.ts'
import { day, optional, optionalChoice, requiredChoice } from '../../flag.ts'
import { amount, paragraphs, table } from '../../layout.ts'

/** How far a merchant's local time may be ahead of UTC. In Kiribati it is 14 hours. */
const AHEAD_MS = 14 * 3_600_000
const DAYS_DEFAULT = { day: 7, month: 90 }
const DAY_MS = 86_400_000

const totals = verb({
  name: 'totals',
  needs: 'viewer',
  summary: 'Show what was taken, given back and lost, by day or month',
  flags: {
    by: requiredChoice('PERIOD', 'the length of a period', ['day', 'month'] as const),
    merchant: optional('ID', 'only this merchant'),
    account: optional('ID', 'only this provider account'),
    currency: optionalChoice('C', 'only this currency', CURRENCY_CODES),
    since: day(
      'DAY',
      "the first day, in each merchant's time zone; default a week ago, or three months by month",
    ),
    until: day('DAY', 'the last day; default today'),
  },
  examples: ['--by day', '--by month --merchant mer_01... --since 2026-01-01 --until 2026-06-30'],
  async run(ctx, { by, merchant: merchantId, account: accountId, currency, ...range }) {
    const nowMs = ctx.clock.now().getTime()
    const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
    const until = range.until ?? dayOf(nowMs + AHEAD_MS)
    const since = range.since ?? dayOf(Date.parse(until) - DAYS_DEFAULT[by] * DAY_MS)
    const found = await getTotals(ctx, { by, merchantId, accountId, currency, since, until })
    return {
      json: {
        by,
        since: found.since,
        until: found.until,
        totals: found.totals.map(presentTotals),
        open: found.open.map(presentOpenMoney),
      },
      text: paragraphs(
        `${found.since} to ${found.until}`,
        found.totals.length > 0 ? totalsTable(found.totals) : 'No money moved in these days.',
        notesOf(found.totals),
        found.open.length > 0 && `Open now\n${openTable(found.open)}`,
      ),
    }
  },
})

function totalsTable(all: Totals[]): string {
  const rows = all.map((each) => [
    each.period,
    each.merchantId,
    each.accountId,
    ...[each.taken, each.givenBack, each.lost].map((sum) => amount(sum, each.currency)),
    each.takenAttemptsWithFee > 0 ? amount(each.fees, each.currency) : '',
    amount(each.held, each.currency),
  ])
  return table(['Period', 'Merchant', 'Account', 'Taken', 'Given back', 'Lost', 'Fees', 'Held'], rows)
}

function notesOf(all: Totals[]): string | null {
  const sum = (of: (each: Totals) => number) => all.reduce((total, each) => total + of(each), 0)
  const taken = sum((each) => each.takenAttempts)
  const withFee = sum((each) => each.takenAttemptsWithFee)
  const outside = all.filter(({ unmatched, overReturned }) => unmatched !== 0n || overReturned !== 0n)
  const lines = [
    taken > withFee && `The fee of ${taken - withFee} of ${counted(taken, 'payment')} is not known.`,
    ...outside.map(
      (each) =>
        `${each.period}, ${each.accountId}: ${amount(each.unmatched, each.currency)} came that no payment could take, and ${amount(each.overReturned, each.currency)} went back that none had.`,
    ),
  ]
  return lines.filter(Boolean).join('\n')
}

function openTable(open: OpenMoney[]): string {
  const rows = open.map(({ merchantId, accountId, currency, held, underWay, disputed }) => [
    merchantId,
    accountId,
    ...[held, underWay, disputed].map((sum) => amount(sum, currency)),
  ])
  return table(['Merchant', 'Account', 'Held', 'Under way', 'Disputed'], rows)
}

export const report: Noun = {
  name: 'report',
  summary: 'Show totals of the money that moved',
  verbs: [totals],
}
