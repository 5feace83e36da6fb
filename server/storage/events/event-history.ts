/** Finds events for an operator, and makes some of them due again. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import { lastScanned, scanForRows } from '../looked.ts'
import type { EventState } from './events.ts'

const FIELDS = fieldsOf('events', [
  'merchantId',
  'id',
  'paymentId',
  'sequence',
  'status',
  'state',
  'attempts',
  /** When it is sent next, by the application's clock. Null if it is not to be sent. */
  'dueAt',
  'createdAt',
  'deliveredAt',
  'replayedAt',
])
/** An event without its body. */
export type EventSummary = RecordOf<'events', typeof FIELDS> & {
  merchantOrderId: string
}

/** Selects events. A condition that is null is ignored. Ids sort by age: `fromId` is included, `toId` is not. */
export type EventSelection = {
  merchantId: string | null
  paymentId: string | null
  state: EventState | null
  fromId: string | null
  toId: string | null
}

/** `waiting`: still to be sent. `givenUp`: sent only if somebody replays them. */
export type Undelivered = { waiting: number; givenUp: number }

const SUMMARY = `${selected(FIELDS, 'e')}, p.merchant_order_id as "merchantOrderId"`
const WITH_ORDER =
  'world.events e join world.payments p on p.merchant_id = e.merchant_id and p.id = e.payment_id'
const SELECTED = `($1::text is null or e.merchant_id = $1) and ($2::text is null or e.payment_id = $2)
   and ($3::text is null or e.state = $3) and ($4::text is null or e.id >= $4)
   and ($5::text is null or e.id < $5)`

const page = statement<EventSummary>(
  'list_events',
  `select ${SUMMARY} from ${WITH_ORDER} where ${SELECTED} order by e.id desc limit $6`,
  // A rare state has an index of its own, which one plan for all states could not use.
  { isPrepared: false },
)
/** How many events of a merchant one page looks at for those of a state, first and at most. */
const LOOKED = [250, 5_000] as const
const OWN = "e.merchant_id = $1 and e.id >= coalesce($2::text, '') and e.id < coalesce($3::text, 'f')"
const NEWEST = 'order by e.id desc'
const OF_PAYMENT = 'join world.payments p on p.merchant_id = e.merchant_id and p.id = e.payment_id'
// Shops differ in size. One plan for all of them would read the events of everybody for a small one.
const unprepared = { isPrepared: false }
const ownPage = (name: string, where: string) =>
  statement<EventSummary>(
    name,
    `select ${SUMMARY} from (select e.* from world.events e where ${OWN} ${where}) e ${OF_PAYMENT} ${NEWEST}`,
    unprepared,
  )
const newest = ownPage('list_events_of_merchant', `${NEWEST} limit $4`)
const givenUp = ownPage('list_events_given_up', `and e.state = 'exhausted' ${NEWEST} limit $4`)
const inState = statement<EventSummary>(
  'list_events_in_state',
  `select ${SUMMARY} from (
     select * from (select e.* from world.events e where ${OWN} ${NEWEST} limit $4) e where e.state = $5 ${NEWEST} limit $6
   ) e ${OF_PAYMENT} ${NEWEST}`,
  unprepared,
)
const lastLooked = lastScanned(
  'find_last_event_looked_at',
  `select e.id from world.events e where ${OWN} ${NEWEST} limit $4`,
  { rowsMax: '$4' },
  unprepared,
)
const one = statement<EventSummary & { body: string }>(
  'find_event_by_id',
  `select ${SUMMARY}, e.body from ${WITH_ORDER} where e.id = $1`,
)
const selectedEvents = statement<{ id: string }>(
  'list_events_to_replay',
  `select e.id from world.events e
   where ${SELECTED} and e.body <> '' and (not $6 or not exists (
     select from world.events later
     where later.merchant_id = e.merchant_id and later.payment_id = e.payment_id and later.sequence > e.sequence))
   order by e.id limit $7`,
)
const replay = statement<{ id: string }>(
  'replay_events',
  `update world.events set state = 'pending', schedule_from = attempts, due_at = $3, replayed_at = $3
   where merchant_id = $1 and id = any($2::text[]) and body <> '' returning id`,
)
const probe = statement(
  'probe_receiver_now',
  'update world.receivers set probe_at = $2 where merchant_id = $1 and probe_at > $2',
)
const undelivered = statement<Undelivered>(
  'count_undelivered_events',
  // A waiting event has a time at which it is due. Each part has an index of its own, so delivered events are not read.
  `select (select count(*) from world.events where merchant_id = $1 and state = 'pending' and due_at is not null)::int as waiting,
     (select count(*) from world.events where merchant_id = $1 and state = 'exhausted')::int as "givenUp"`,
)
const states = statement<{ state: EventState; count: number }>(
  'count_event_states',
  `select state, count(*)::int as count from (
     select e.state from world.events e where ${OWN} ${NEWEST} limit $4) newest
   group by state order by state`,
  { isPrepared: false },
)
const recent = statement<{ id: string; replayedAt: Date | null }>(
  'list_recent_events',
  `select id, replayed_at as "replayedAt" from world.events where merchant_id = $1 and id >= $2
   union
   select id, replayed_at from world.events where merchant_id = $1 and replayed_at >= $3
   order by id`,
)

/**
 * Returns the selected events, newest first. `lookedTo`: the event at which the look for a merchant's events stopped, although fewer
 * than `limit` were found, because it has looked at as many as one page looks at. Null if there are no more.
 */
export async function listEvents(
  db: Queryable,
  { merchantId, paymentId, state, fromId, toId }: EventSelection,
  limit: number,
): Promise<{ events: EventSummary[]; lookedTo: string | null }> {
  if (merchantId === null || paymentId !== null)
    return { events: await page(db, [merchantId, paymentId, state, fromId, toId, limit]), lookedTo: null }
  const range = [merchantId, fromId, toId]
  if (state === null || state === 'exhausted')
    return { events: await (state === null ? newest : givenUp)(db, [...range, limit]), lookedTo: null }
  const { rows, lookedTo } = await scanForRows(LOOKED, limit, {
    page: (scanned) => inState(db, [...range, scanned, state, limit]),
    last: (scanned) => lastLooked(db, [...range, scanned]),
  })
  return { events: rows, lookedTo }
}

/** Returns one event with the exact text that every attempt sends. */
export async function findEventById(
  db: Queryable,
  id: string,
): Promise<(EventSummary & { body: string }) | null> {
  return (await one(db, [id]))[0] ?? null
}

/** Returns ids, oldest first. `latest`: only the newest event of each payment. */
export async function listEventsToReplay(
  db: Queryable,
  { merchantId, paymentId, state, fromId, toId }: EventSelection,
  { latest, limit }: { latest: boolean; limit: number },
): Promise<string[]> {
  return (await selectedEvents(db, [merchantId, paymentId, state, fromId, toId, latest, limit])).map(
    ({ id }) => id,
  )
}

/** Makes these events due at `at`, at the start of their schedule. Returns how many. It does not notify the worker. */
export async function replayEvents(
  tx: Queryable,
  merchantId: string,
  ids: string[],
  at: Date,
): Promise<number> {
  return (await replay(tx, [merchantId, ids, at])).length
}

/** Ends the rest of a receiver at `at`. */
export async function probeReceiver(tx: Queryable, merchantId: string, at: Date): Promise<void> {
  await probe(tx, [merchantId, at])
}

export async function countUndelivered(db: Queryable, merchantId: string): Promise<Undelivered> {
  return (await undelivered(db, [merchantId]))[0] ?? { waiting: 0, givenUp: 0 }
}

/** How many of the merchant's events of a time are in each state. Only the newest `limit` are counted. */
export async function countEventStates(
  db: Queryable,
  merchantId: string,
  { fromId, toId, limit }: { fromId: string | null; toId: string | null; limit: number },
): Promise<{ state: EventState; count: number }[]> {
  return states(db, [merchantId, fromId, toId, limit])
}

/** Returns the merchant's events with an id from `fromId` on, and those that were replayed since `replayedFrom`. */
export async function listRecentEvents(
  db: Queryable,
  merchantId: string,
  { fromId, replayedFrom }: { fromId: string; replayedFrom: Date },
): Promise<{ id: string; replayedAt: Date | null }[]> {
  return recent(db, [merchantId, fromId, replayedFrom])
}
