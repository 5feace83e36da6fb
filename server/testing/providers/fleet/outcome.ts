/** The outcome of the fleet's payments: which have not ended, whose books differ, and which need a person. */
import type { Fleet, Ship } from './fleet.ts'

export type Outcome = {
  name: string
  payments: number
  statuses: Record<string, number>
  /** Payments that a person has to look at, and why. */
  needsPerson: Record<'unknown' | 'operation' | 'warning' | 'any', number>
  operations: Record<string, number>
  /** Payments with money that is not theirs, and those whose buyer got it back. */
  surplus: Record<'taken' | 'returned', number>
  /** What a person reads, without its numbers, and how often. */
  warnings: Record<string, number>
  /** How many writes the provider got again although it does not know a repetition. */
  sentTwice: number
  deaths: number
  faults: string[]
}

const OPEN = ['created', 'pending_redirect', 'pending_payment']
const WORKING = ['queued', 'processing']

export async function readOutcome(fleet: Fleet, ship: Ship): Promise<Outcome> {
  const { merchantId } = ship.shop
  const read = async <Row>(query: string) =>
    (await fleet.kassa.ctx.db.query(query, [merchantId])).rows as Row[]
  const statuses = await read<{ status: string; count: string; ids: string }>(
    `select status, count(*), min(id) as ids from sandbox.payments where merchant_id = $1 group by status order by status`,
  )
  const operations = await read<{ kind: string; status: string; count: string }>(
    `select o.type as kind, o.status, count(*) from sandbox.operations o join sandbox.payments p on p.id = o.payment_id
     where p.merchant_id = $1 group by o.type, o.status order by o.type, o.status`,
  )
  const [people] = await read<Record<'unknown' | 'operation' | 'warning' | 'any', string>>(
    `select count(*) filter (where unknown) as unknown, count(*) filter (where operation) as operation,
       count(*) filter (where warning) as warning, count(*) filter (where unknown or operation or warning) as any
     from (select p.status = 'status_unknown' as unknown,
         exists (select from sandbox.operations o where o.payment_id = p.id and o.status = 'requires_operator_review') as operation,
         exists (select from sandbox.payment_warnings w where w.payment_id = p.id and w.settled_at is null) as warning
       from sandbox.payments p where p.merchant_id = $1) payments`,
  )
  const [surplus] = await read<Record<'taken' | 'returned', string>>(
    `select count(distinct payment_id) filter (where kind = 'surplus') as taken,
       count(distinct payment_id) filter (where kind = 'surplus_returned') as returned from sandbox.entries where merchant_id = $1`,
  )
  const warnings = await read<{ text: string; count: string }>(
    `select regexp_replace(w.detail, '[0-9]+', 'N', 'g') as text, count(*) from sandbox.payment_warnings w
     where w.merchant_id = $1 and w.settled_at is null group by 1 order by 1`,
  )
  const numbers = (row: object = {}) =>
    Object.fromEntries(Object.entries(row).map(([name, count]) => [name, Number(count)]))
  const open = statuses.filter(({ status }) => OPEN.includes(status))
  const working = operations.filter(({ status }) => WORKING.includes(status))
  const sentTwice = ship.sentTwice()
  return {
    name: ship.name,
    payments: statuses.reduce((sum, { count }) => sum + Number(count), 0),
    statuses: Object.fromEntries(statuses.map(({ status, count }) => [status, Number(count)])),
    needsPerson: { unknown: 0, operation: 0, warning: 0, any: 0, ...numbers(people) },
    operations: Object.fromEntries(
      operations.map(({ kind, status, count }) => [`${kind} ${status}`, Number(count)]),
    ),
    surplus: { taken: 0, returned: 0, ...numbers(surplus) },
    warnings: Object.fromEntries(warnings.map(({ text, count }) => [text, Number(count)])),
    sentTwice,
    deaths: ship.deaths,
    faults: [
      ...(sentTwice > 0 ? [`${sentTwice} writes were sent again`] : []),
      ...open.map(({ status, count, ids }) => `${count} payments are ${status}, such as ${ids}`),
      ...working.map(({ kind, status, count }) => `${count} operations ${kind} are ${status}`),
      ...(await compareBooks(fleet, ship)),
    ],
  }
}

/** The facts about a payment whose books differ, for people who look for the cause. */
const STORY = `select text from (
  select created_at, concat('became ', to_status, ' by ', cause) as text from sandbox.payment_changes where payment_id = $1
  union all select created_at, concat(type, ' of ', amount_minor, ' is ', status, ' ', status_reason)
    from sandbox.operations where payment_id = $1
  union all select created_at, concat('entry ', kind, ' ', amount_minor, ' of attempt ', attempt) from sandbox.entries
    where payment_id = $1
  union all select created_at, concat('warning: ', detail) from sandbox.payment_warnings where payment_id = $1
) story order by created_at`

type Order = { id: string; reference: string; state: string; captured: string; refunded: string }

const NO_BOOKS = { orders: 0, capturedMinor: 0, refundedMinor: 0, isReversed: false }

async function compareBooks({ kassa }: Fleet, { simulator, shop }: Ship): Promise<string[]> {
  const { rows } = await kassa.ctx.db.query<Order>(
    `select payment_id as id, reference, state, captured_minor as captured, refunded_minor as refunded
     from sandbox.attempts where merchant_id = $1 and state <> 'planned'`,
    [shop.merchantId],
  )
  const faults: string[] = []
  for (const { id, reference, state, captured, refunded } of rows) {
    // A provider that never got the order has no books of it.
    const books = await simulator.books(reference).catch(() => NO_BOOKS)
    if (books.orders > 1) faults.push(`${id} (${reference}): the provider opened ${books.orders} orders`)
    const ours = `${Number(captured)} taken, ${Number(refunded)} returned`
    // The simulated bank keeps the sum of an order whose money was taken back.
    const takenMinor = books.isReversed ? 0 : books.capturedMinor
    const theirs = `${takenMinor} taken, ${books.refundedMinor} returned`
    if (ours === theirs) continue
    const { rows: known } = await kassa.ctx.db.query<{ text: string }>(STORY, [id])
    const story = known.map(({ text }) => text).join('; ')
    faults.push(`${id} (${reference}, ${state}): we have ${ours}, and the provider ${theirs}: ${story}`)
  }
  return faults
}
