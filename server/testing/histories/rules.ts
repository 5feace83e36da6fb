/** What must hold of a history: after each act, and at its end. The expectations follow from the providers' books alone. */
import { type ChargeRow, type Row, readBooks, readCharges } from './books.ts'
import type { History } from './history.ts'
import { expectedOf, keptMinor, type Standing, sumOf } from './standing.ts'
import { STRIPE_ACCOUNTS } from './stripe-desk.ts'
import { ROUTES, type RouteName } from './world.ts'

const OVER = ['expired', 'failed', 'cancelled']
const OPEN = ['created', 'pending_redirect', 'pending_payment']
const inMinor = (list: readonly { amount_minor: number }[]) =>
  list.reduce((sum, each) => sum + each.amount_minor, 0)

export async function listOrders({ world }: History): Promise<Standing[]> {
  return (await Promise.all(Object.values(world.desks).map((desk) => desk.orders()))).flat()
}

const NOW = `select p.id, p.status, p.captured_minor, p.refunded_minor, p.amount_minor,
    (select array_agg(reference) from sandbox.attempts a where a.payment_id = p.id) as references,
    (select coalesce(sum(amount_minor), 0)::bigint from sandbox.operations o where o.payment_id = p.id and o.type = 'refund'
      and o.attempt = p.attempt and o.status = 'succeeded') as done,
    (select count(*)::int from model.unversioned u where u.payment_id = p.id) as unversioned
  from sandbox.payments p`
type Now = Pick<Row, 'id' | 'status' | 'captured_minor' | 'refunded_minor' | 'amount_minor'> & {
  references: string[]
  done: number
  unversioned: number
}

/** After each act. */
export async function findAtOnce(history: History): Promise<string[]> {
  const { rows } = await history.world.look.query<Now>({ name: 'model.now', text: NOW })
  const orders = await listOrders(history)
  const works = new Set(orders.filter(({ underWay }) => underWay).map(({ reference }) => reference))
  // Open: a refund that failed while another one of the same sum was done stays `succeeded` until the next question.
  const failed = new Set(
    orders
      .filter(({ refunds }) => refunds.some(({ state }) => state === 'failed'))
      .map(({ reference }) => reference),
  )
  return rows.flatMap(({ id, status, references, done, refunded_minor, unversioned }) => {
    const sale = history.sales.find((each) => each.id === id)
    const faults: string[] = []
    if (unversioned > 0) faults.push(`${id}: its sums changed without a version`)
    const hasFailed = references.some((each) => failed.has(each))
    if (done > refunded_minor && !hasFailed && !sale?.isMisjudged && status !== 'status_unknown')
      faults.push(`${id}: refunds of ${done} succeeded, and the payment says ${refunded_minor}`)
    if (OVER.includes(status) && references.some((each) => works.has(each)) && !sale?.isMisjudged)
      faults.push(`${id} is ${status}, and its provider is still working on it`)
    return faults
  })
}

/** At the end: everybody has answered, and nothing is due. */
export async function findAtTheEnd(history: History): Promise<string[]> {
  const all = await readBooks(history.world.look)
  const rows = all.filter(({ attempts }) => attempts.every(({ provider }) => provider !== 'manual'))
  const charges = await readCharges(history.world.look)
  const orders = await listOrders(history)
  const faults = rows.flatMap((row) => {
    const sale = history.sales.find(({ id }) => id === row.id)
    const known = orders.filter(({ reference }) => row.attempts.some((each) => each.reference === reference))
    const found = [
      ...findInEvents(row),
      ...(sale?.isMisjudged
        ? []
        : [
            ...findInBooks(row, known),
            ...findInEntries(row, known),
            ...findInRefunds(row, known),
            ...findInReceipts(row, known),
          ]),
      ...findInMails(row, sale?.hasEmail ?? false),
      ...findStranger(history, row, known),
    ]
    return found.map((each) => `${row.id} (${row.status}): ${each}`)
  })
  return [
    ...faults,
    ...(await findOnPages(history, rows)),
    ...findInDecisions(history),
    ...findInCharges(history, charges, orders),
  ]
}

/** Each event's sums and status are those of its version, without a gap, and the last one tells the present state. */
function findInEvents({ events, versions, status, captured_minor, refunded_minor }: Row): string[] {
  const told = versions.filter((each) => each.status !== 'created' && each.status !== 'pending_redirect')
  const faults: string[] = []
  if (events.length !== told.length) faults.push(`${told.length} changes and ${events.length} events`)
  for (const [index, event] of events.entries()) {
    const version = told[index]
    if (event.sequence !== index + 1) faults.push(`event ${index + 1} has the number ${event.sequence}`)
    if (!version) continue
    const isSame =
      event.status === version.status &&
      event.captured === version.captured &&
      event.refunded === version.refunded
    if (!isSame)
      faults.push(
        `event ${event.sequence} tells ${JSON.stringify(event)}, and the payment was ${JSON.stringify(version)}`,
      )
  }
  const last = versions.at(-1)
  if (
    last &&
    (last.status !== status || last.captured !== captured_minor || last.refunded !== refunded_minor)
  )
    faults.push('its last version is not its state')
  return faults
}

/**
 * Open: the first that the service hears of a hold is that it was released. No status before `authorized` leads to `reversed`, so the
 * payment stays open, with a warning. No money was taken. And money that came and went after a payment had ended stays outside of its
 * sums: it is entered, and a person is told.
 */
export const isForPerson = ({ status, warnings }: Pick<Row, 'status' | 'warnings'>) =>
  warnings.some(
    (each) =>
      (OPEN.includes(status) && each.startsWith('the provider says reversed, which cannot follow ')) ||
      (OVER.includes(status) && /^the provider says \w+, which cannot follow /.test(each)),
  )

/** The payment's sums are those of its own order, and no other order keeps money. */
function findInBooks(row: Row, known: Standing[]): string[] {
  if (isForPerson(row)) return []
  const own = row.attempts.find(({ number }) => number === row.attempt)
  const faults: string[] = []
  for (const { number, reference } of row.attempts) {
    const orders = known.filter((each) => each.reference === reference)
    const withMoney = orders.filter((order) => order.capturedMinor > 0 || order.heldMinor > 0)
    if (withMoney.length > 1) faults.push(`attempt ${number} took money ${withMoney.length} times`)
    if (number === row.attempt) continue
    const kept = orders.reduce((sum, order) => sum + keptMinor(order) + order.heldMinor, 0)
    if (kept > 0)
      faults.push(
        `attempt ${number} keeps ${kept} besides the payment's own money: ${row.warnings.join('; ')}`,
      )
  }
  const order = known.find(({ reference }) => reference === own?.reference)
  return [...faults, ...(order ? compare(row, order) : findWithoutOrder(row))]
}

/** Soon after everybody has answered, second money has gone back. It does not wait until a hold lapses by itself. */
export async function findSecondMoney({ world, sales }: History, orders: Standing[]): Promise<string[]> {
  return (await readBooks(world.look)).flatMap((row) => {
    const sale = sales.find(({ id }) => id === row.id)
    if (!sale || sale.isMisjudged || row.captured_minor + row.authorized_minor === 0) return []
    return row.attempts.flatMap(({ number, reference }) => {
      const order = orders.find((each) => each.reference === reference)
      const isSecond = number !== row.attempt && order && order.heldMinor > 0
      return isSecond
        ? [`${row.id}: attempt ${number} still holds ${order.heldMinor} besides the payment's own money`]
        : []
    })
  })
}

/** The sums of the entries are what each order has brought and given back, whatever became of the payment. */
function findInEntries(row: Row, known: Standing[]): string[] {
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
  const told = row.operations
    .filter(({ type, sent_at }) => type === 'capture' && sent_at)
    .map((each) => each.amount_minor)
  const whole = [row.amount_minor, ...told]
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
function findInRefunds(row: Row, known: Standing[]): string[] {
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

/** One receipt for each payment and each refund, and their sums agree. */
function findInReceipts(row: Row, known: Standing[]): string[] {
  const { prints, receipts, fiscal_status: fiscal } = row
  const sales = prints.filter(({ kind }) => kind === 'sale')
  if (sales.length > 1) return [`${sales.length} receipts were printed for the sale`]
  const twice = prints.length - new Set(prints.map(({ reference }) => reference)).size
  if (twice > 0) return ['a receipt was printed twice']
  const own = row.attempts.find(({ number }) => number === row.attempt)
  const isFiscal = known.some(
    ({ reference, account }) => reference === own?.reference && account !== STRIPE_ACCOUNTS.own,
  )
  if (!isFiscal || row.status === 'status_unknown') return []
  const takenMinor =
    row.versions.find((each) => each.captured > 0 && each.status !== 'status_unknown')?.captured ?? 0
  const wasTaken = row.versions.some(
    (each) => each.captured > 0 && !['status_unknown', 'reversed'].includes(each.status),
  )
  if (!wasTaken) return []
  const [sale] = sales
  if (!sale) return [`no receipt was printed: ${JSON.stringify(receipts)}`]
  if (sale.amount !== takenMinor) return [`the receipt says ${sale.amount}, and ${takenMinor} were taken`]
  const back = prints.filter(({ kind }) => kind === 'refund').reduce((sum, { amount }) => sum + amount, 0)
  const due = row.status === 'reversed' ? sale.amount : row.refunded_minor
  const isHonest = back > due && fiscal === 'correction_required'
  return back === due || isHonest
    ? []
    : [`${due} went back, and the receipts say ${back} (${fiscal}): ${JSON.stringify(receipts)}`]
}

/** The buyer is told of what was given back, and of a refund that failed after all. */
function findInMails({ mails, operations, warnings }: Row, hasEmail: boolean): string[] {
  const sumBy = (kind: string) => inMinor(mails.filter((each) => each.kind === kind))
  const undone = inMinor(
    operations.filter(({ cause, reverted_at }) => cause === 'request' && reverted_at !== null),
  )
  if (!hasEmail || undone <= sumBy('refund_failed')) return []
  return [
    `refunds of ${undone} failed after all, and mails about ${sumBy('refund_failed')} were written: ${warnings.join('; ')}`,
  ]
}

/** Where less was taken than the payment was for, the page says what was taken. */
async function findOnPages({ world }: History, rows: Row[]): Promise<string[]> {
  const faults: string[] = []
  for (const row of rows) {
    // Whole drams are shown without decimals.
    const isShown = row.currency !== 'AMD'
    const isPart = isShown && row.status === 'paid' && row.captured_minor < row.amount_minor
    if (!isPart) continue
    const page = await (
      await fetch(`${world.kassa.url}/checkout/${row.id}`, { headers: { 'accept-language': 'en' } })
    ).text()
    const said = (row.captured_minor / 100).toFixed(2)
    if (!page.replaceAll(/[,\u00a0]/g, '').includes(said))
      faults.push(`${row.id}: its page does not say that ${said} were taken`)
  }
  return faults
}

/** The money stands where its merchant has a contract. */
function findStranger({ world }: History, row: Row, known: Standing[]): string[] {
  const isSecond = row.merchant_id === world.sellers[1].shop.merchantId
  return known.flatMap(({ reference, account }) => {
    const attempt = row.attempts.find((each) => each.reference === reference)
    const route = attempt?.provider as RouteName
    const own = isSecond && route === 'route_a' ? STRIPE_ACCOUNTS.own : ROUTES[route]?.account
    return account === own ? [] : [`its order stands in the account ${account}, not in ${own}`]
  })
}

/** Of two decisions about one state at most one is stored. */
function findInDecisions({ decisions }: History): string[] {
  const groups = Map.groupBy(decisions, ({ id, version }) => `${id} version ${version}`)
  return [...groups]
    .filter(([, all]) => all.length > 1)
    .map(([about, all]) => `${all.map(({ as }) => as).join(' and ')} were decided about ${about}`)
}

/** One charge for each period and try. A charge failed only where its provider declined it. One that got lost is made again. */
function findInCharges({ world }: History, charges: ChargeRow[], orders: Standing[]): string[] {
  const faults: string[] = []
  const orderOf = (charge: ChargeRow) => orders.filter(({ reference }) => reference === charge.reference)
  for (const [about, all] of Map.groupBy(
    charges,
    (each) => `${each.subscription_id} period ${each.period}`,
  )) {
    const paid = all.flatMap(orderOf).filter((order) => keptMinor(order) > 0)
    const isKnown = all.some(({ state }) => state === 'surplus')
    if (paid.length > 1 && !isKnown) faults.push(`${about} was charged ${paid.length} times`)
    const last = all.findLast(({ sent_at }) => sent_at)
    if (last?.state === 'lost' && last.subscription !== 'cancelled')
      faults.push(`${about} got lost, and was not charged again`)
  }
  for (const charge of charges) {
    const { subscription_id, period, attempt, state, sent_at, status, cancel_reason } = charge
    const name = `${subscription_id} period ${period} try ${attempt} (${state}, ${status})`
    const hasMoney = orderOf(charge).some((order) => order.capturedMinor > 0)
    if (state === 'open' || status === 'status_unknown') faults.push(`${name} stands still`)
    if ((state === 'paid') !== hasMoney && state !== 'surplus' && state !== 'open')
      faults.push(`${name}: its provider ${hasMoney ? 'has' : 'has no'} money`)
    const arrived = Object.values(world.desks)
      .flatMap(({ door }) => door.state.seen)
      .filter(({ kind, body, url }) => kind === 'write' && (body + url).includes(charge.reference))
    const isAnswered = arrived.some(
      ({ status: answered, text }) =>
        (answered !== null && answered >= 400 && answered < 500) || text.includes('"refused"'),
    )
    // A provider that failed before it answered has an order that it has declined.
    const isDeclined = isAnswered || orderOf(charge).some(({ capturedMinor }) => capturedMinor === 0)
    if (state === 'failed' && sent_at && !isDeclined) faults.push(`${name}: nobody declined it`)
    if (cancel_reason === 'hard_decline' && state === 'failed' && attempt === 1 && !isDeclined)
      faults.push(`${name}: cancelled without a decline`)
  }
  return faults
}
