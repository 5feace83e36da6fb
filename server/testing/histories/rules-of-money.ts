/** What must hold of each payment's money at the end of a history, by its providers' books. */
import { type Row, readBooks } from './books.ts'
import type { History } from './history.ts'
import { expectedOf, keptMinor, type Standing, sumOf } from './standing.ts'

/** A payment in these has ended without money, or may still be paid. */
export const OVER = ['expired', 'failed', 'cancelled']
const OPEN = ['created', 'pending_redirect', 'pending_payment']

/**
 * Open: the first that the service hears of a hold is that it was released. No status before `authorized` leads to `reversed`, so the
 * payment stays open, with a warning. No money was taken. And money that came and went after a payment had ended stays outside of its
 * sums: it is entered, and a person is told.
 */
export const isForPerson = ({ status, warnings }: Pick<Row, 'status' | 'warnings'>) =>
  isInDoubt({ warnings }) ||
  warnings.some(
    (each) =>
      (OPEN.includes(status) && each.startsWith('the provider says reversed, which cannot follow ')) ||
      (OVER.includes(status) && /^the provider says \w+, which cannot follow /.test(each)),
  )

/** A refund that replaces a lost dispute of the same sum may be one return of money or two. A person asks the provider. */
const isInDoubt = ({ warnings }: Pick<Row, 'warnings'>) =>
  warnings.some((each) => each.includes('that were lost in a dispute are a refund now'))

/** A person has decided that the money did not go back, or the provider refused it or did not do it. A person then sees to it. */
const hasFailedReturn = ({ operations }: Row, number: number) =>
  operations.some(
    ({ cause, attempt, status }) => cause === 'service' && attempt === number && status === 'failed',
  )

/** The payment's sums are those of its own order, and no other order keeps money. */
export function findInBooks(row: Row, known: Standing[]): string[] {
  if (isForPerson(row)) return []
  const own = row.attempts.find(({ number }) => number === row.attempt)
  const faults: string[] = []
  for (const { number, reference } of row.attempts) {
    const orders = known.filter((each) => each.reference === reference)
    const withMoney = orders.filter((order) => order.capturedMinor > 0 || order.heldMinor > 0)
    if (withMoney.length > 1) faults.push(`attempt ${number} took money ${withMoney.length} times`)
    if (number === row.attempt) continue
    const kept = orders.reduce((sum, order) => sum + keptMinor(order) + order.heldMinor, 0)
    if (kept > 0 && !hasFailedReturn(row, number))
      faults.push(
        `attempt ${number} keeps ${kept} besides the payment's own money: ${row.warnings.join('; ')}`,
      )
  }
  const order = known.find(({ reference }) => reference === own?.reference)
  return [...faults, ...(order ? compare(row, order) : findWithoutOrder(row))]
}

/** The service gives back by itself only what the buyer has paid besides the payment's own money. */
export function findNeededReturns({ operations, attempt, attempts }: Row, known: Standing[]): string[] {
  const own = attempts.find(({ number }) => number === attempt)
  const order = known.find(({ reference }) => reference === own?.reference)
  const hasMoney = order && (order.capturedMinor > 0 || order.heldMinor > 0 || order.voided)
  if (hasMoney) return []
  return operations
    .filter(({ cause, sent_at }) => cause === 'service' && sent_at)
    .map((each) => `the money of attempt ${each.attempt} was sent back, and the payment has no other`)
}

/** Soon after everybody has answered, second money has gone back. It does not wait until a hold lapses by itself. */
export async function findSecondMoney({ world, sales }: History, orders: Standing[]): Promise<string[]> {
  return (await readBooks(world.look)).flatMap((row) => {
    const sale = sales.find(({ id }) => id === row.id)
    if (!sale || sale.isMisjudged || row.captured_minor + row.authorized_minor === 0) return []
    return row.attempts.flatMap(({ number, reference }) => {
      const order = orders.find((each) => each.reference === reference)
      const isSecond = number !== row.attempt && order && order.heldMinor > 0
      return isSecond && !hasFailedReturn(row, number)
        ? [`${row.id}: attempt ${number} still holds ${order.heldMinor} besides the payment's own money`]
        : []
    })
  })
}

/** The sums of the entries are what each order has brought and given back, whatever became of the payment. */
export function findInEntries(row: Row, known: Standing[]): string[] {
  return row.attempts.flatMap(({ number, reference }) => {
    const order = known.find((each) => each.reference === reference)
    const sum = (kind: string) =>
      row.entries.find((each) => each.attempt === number && each.kind === kind)?.minor ?? 0
    const came = sum('taken') - sum('taken_back') + sum('unmatched') - sum('matched')
    const back =
      sum('refunded') -
      sum('refund_failed') +
      sum('dispute_lost') -
      sum('dispute_regained') +
      sum('over_returned')
    if (isInDoubt(row)) return []
    if (!order) return came + back > 0 ? [`attempt ${number} has entries, and no provider has its order`] : []
    const takenMinor = order.voided ? 0 : order.capturedMinor
    const givenMinor = sumOf(order.refunds.filter(({ state }) => state === 'done')) + order.lostMinor
    const isSame = came === takenMinor && back <= givenMinor && back >= Math.min(takenMinor, givenMinor)
    return isSame
      ? []
      : [
          `the entries of attempt ${number} say that ${came} came and ${back} went back: ${JSON.stringify(row.entries)}; ${JSON.stringify(order)}`,
        ]
  })
}

function findWithoutOrder(row: Row): string[] {
  const hasSums = row.authorized_minor + row.captured_minor + row.refunded_minor > 0
  const isOver = OVER.includes(row.status) || row.status === 'status_unknown' || row.single_attempt
  return hasSums || !isOver
    ? [`no provider has its order, and its sums are ${row.captured_minor}/${row.refunded_minor}`]
    : []
}

function compare(row: Row, order: Standing): string[] {
  const expected = expectedOf(order)
  const sentMinor = row.operations
    .filter(({ type, sent_at }) => type === 'capture' && sent_at)
    .map((each) => each.amount_minor)
  const whole = [row.amount_minor, ...sentMinor]
  const moved = order.capturedMinor || order.heldMinor
  if (row.status === 'status_unknown') {
    const isClear = expected.status !== null && (order.voided || whole.includes(moved))
    return isClear ? [`its provider would settle it: ${JSON.stringify(order)}`] : []
  }
  if (expected.status === null) {
    const isRight = OVER.includes(row.status) && row.captured_minor === 0 && row.authorized_minor === 0
    return isRight || order.underWay ? [] : [`its provider has taken nothing: ${JSON.stringify(order)}`]
  }
  const isSame =
    row.status === expected.status &&
    row.captured_minor === expected.capturedMinor &&
    row.refunded_minor === expected.refundedMinor
  if (isSame) return []
  return [
    `ours ${row.captured_minor} captured, ${row.refunded_minor} refunded; expected ${JSON.stringify(expected)} by ${JSON.stringify(order)}; warnings: ${row.warnings.join('; ')}`,
  ]
}

/** What a merchant asked for once was done once, or is reported as not done. */
export function findInRefunds(row: Row, known: Standing[]): string[] {
  if (isForPerson(row)) return []
  const faults: string[] = []
  for (const { reference, refunds } of known) {
    const moved = refunds.filter(({ key, state }) => key !== null && state !== 'failed')
    const keys = new Set(moved.map(({ key }) => key))
    if (keys.size < moved.length) faults.push(`${reference}: one refund of ours was made several times`)
  }
  const own = row.attempts.find(({ number }) => number === row.attempt)
  const order = known.find(({ reference }) => reference === own?.reference)
  if (!order || row.status === 'status_unknown') return faults
  const theirs = order.refunds
    .filter(({ key, state }) => key !== null && state === 'done')
    .map(({ amountMinor }) => amountMinor)
  const ours = row.operations
    .filter(
      ({ type, status, attempt }) => type === 'refund' && status === 'succeeded' && attempt === row.attempt,
    )
    .map((each) => each.amount_minor)
  const sorted = (list: number[]) => list.toSorted((one, other) => one - other).join(' ')
  if (sorted(theirs) !== sorted(ours))
    faults.push(
      `the refunds ${sorted(ours)} succeeded, and the provider has made ${sorted(theirs)} of ours: ${JSON.stringify(row.operations)}`,
    )
  const open = row.operations.filter(({ status }) =>
    ['queued', 'processing', 'requires_operator_review'].includes(status),
  )
  if (open.length > 0) faults.push(`still open: ${JSON.stringify(open)}`)
  return faults
}
