/** The rules of a history: after each act, and at its end. The expectations follow from the providers' books alone. */
import { type Row, readBooks, readCharges } from './books.ts'
import type { History } from './history.ts'
import { findInCharges } from './rules-of-charges.ts'
import { findInBooks, findInEntries, findInRefunds, findNeededReturns, OVER } from './rules-of-money.ts'
import { findInTotals } from './rules-of-totals.ts'
import type { Standing } from './standing.ts'
import { STRIPE_ACCOUNTS } from './stripe-desk.ts'
import { ROUTES, type RouteName } from './world.ts'

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
            ...findNeededReturns(row, known),
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
    ...(await findInTotals(history)),
  ]
}

/** Each event's sums and status are those of its version, without a gap, and the last one has the present state. */
function findInEvents({ events, versions, status, captured_minor, refunded_minor }: Row): string[] {
  const changes = versions.filter((each) => each.status !== 'created' && each.status !== 'pending_redirect')
  const faults: string[] = []
  if (events.length !== changes.length) faults.push(`${changes.length} changes and ${events.length} events`)
  for (const [index, event] of events.entries()) {
    const version = changes[index]
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

/** The buyer gets a mail about each refund, and about a refund that failed after all. */
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
    const amount = (row.captured_minor / 100).toFixed(2)
    if (!page.replaceAll(/[,\u00a0]/g, '').includes(amount))
      faults.push(`${row.id}: its page does not say that ${amount} were taken`)
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

/** At most one of two decisions about one state is stored. */
function findInDecisions({ decisions }: History): string[] {
  const groups = Map.groupBy(decisions, ({ id, version }) => `${id} version ${version}`)
  return [...groups]
    .filter(([, all]) => all.length > 1)
    .map(([about, all]) => `${all.map(({ as }) => as).join(' and ')} were decided about ${about}`)
}
