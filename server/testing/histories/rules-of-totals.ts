/** The totals of all days add up to the entries, counted here one by one. */
import { getTotals, type Totals } from '../../reports/totals.ts'
import { DAY, type History } from './history.ts'

type Entry = { merchant: string; account: string; currency: string; kind: string; amount: number }

/** What each total is made of: the kinds that it adds, and the kinds that it takes away. */
const PARTS: Partial<Record<keyof Totals, [plus: string[], minus: string[]]>> = {
  taken: [['taken'], ['taken_back']],
  givenBack: [['refunded'], ['refund_failed']],
  lost: [['dispute_lost'], ['dispute_regained']],
  disputed: [['dispute_opened'], ['dispute_won', 'dispute_lost']],
  held: [['held'], []],
  released: [['released'], []],
  unmatched: [['unmatched'], ['matched']],
  overReturned: [['over_returned'], []],
}
const BEFORE_MS = 2 * DAY
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

export async function findInTotals({ world }: History): Promise<string[]> {
  const { rows: entries } = await world.look.query<Entry>(
    `select e.merchant_id as merchant, a.account_id as account, e.currency, e.kind, e.amount_minor as amount
     from sandbox.entries e join sandbox.attempts a on a.payment_id = e.payment_id and a.number = e.attempt`,
  )
  const { rows: payments } = await world.look.query<{ merchant: string; account: string; held: number }>(
    `select p.merchant_id as merchant, a.account_id as account, a.authorized_minor - a.captured_minor as held
     from sandbox.payments p join sandbox.attempts a on a.payment_id = p.id and a.number = p.attempt where p.status = 'authorized'`,
  )
  const since = dayOf(Date.now() - BEFORE_MS)
  const until = dayOf(world.kassa.clock.now().getTime() + DAY)
  const faults: string[] = []
  for (const by of ['day', 'month'] as const) {
    const all = { by, since, until, merchantId: undefined, accountId: undefined, currency: undefined }
    const { totals, open } = await getTotals(world.ctx, all)
    faults.push(...compare(by, totals, entries))
    const held = open.reduce((sum, each) => sum + each.held, 0n)
    const expected = payments.reduce((sum, each) => sum + BigInt(each.held), 0n)
    if (held !== expected) faults.push(`the totals hold ${held} now, and the payments ${expected}`)
  }
  return faults
}

function compare(by: string, totals: Totals[], entries: Entry[]): string[] {
  const keyOf = (merchant: string, account: string, currency: string) => `${merchant} ${account} ${currency}`
  const groups = Map.groupBy(entries, (each) => keyOf(each.merchant, each.account, each.currency))
  const totalsByKey = Map.groupBy(totals, (each) => keyOf(each.merchantId, each.accountId, each.currency))
  const keys = new Set([...groups.keys(), ...totalsByKey.keys()])
  return [...keys].flatMap((key) => {
    const [own, reported] = [groups.get(key) ?? [], totalsByKey.get(key) ?? []]
    const sumKinds = (kinds: string[]) =>
      own.reduce((sum, { kind, amount }) => (kinds.includes(kind) ? sum + BigInt(amount) : sum), 0n)
    return Object.entries(PARTS).flatMap(([name, [plus, minus]]) => {
      const expected = sumKinds(plus) - sumKinds(minus)
      const sum = reported.reduce((total, each) => total + (each[name as 'taken'] as bigint), 0n)
      return sum === expected ? [] : [`by ${by}, ${key}: ${name} is ${sum}, and its entries make ${expected}`]
    })
  })
}
