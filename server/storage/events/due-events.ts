/** The events that are due: claiming them, bringing them forward, noting that they were taken, and dropping old ones. */
import { batched } from '../batch.ts'
import { type Db, type Queryable, statement } from '../db.ts'
import type { DeliveryRecord } from './deliveries.ts'
import type { EventRecord } from './events.ts'

/** An event that the caller alone sends until its lease ends; `url`: where to, as it is set now. */
export type ClaimedEvent = Pick<
  EventRecord,
  'merchantId' | 'id' | 'body' | 'attempts' | 'scheduleFrom' | 'dueAt'
> & { url: string }

/**
 * Of a receiver that rests nothing, of one whose rest has ended one event, and the next only after another rest. An
 * event whose payment has an earlier one without a first attempt is left for later. `offset 0`, and rows found by their id
 * alone below: a plan that was made while the table was empty must not read all of a merchant's events later.
 */
const CLAIMABLE = `due.merchant_id = w.merchant_id and due.due_at <= $3 and (due.lease_until is null or due.lease_until <= $3)
  and not exists (
    select from world.events earlier
    where earlier.merchant_id = due.merchant_id and earlier.payment_id = due.payment_id
      and earlier.sequence < due.sequence and earlier.state = 'pending' and earlier.attempts = 0
    offset 0)`
// A lease that is lost with the server only lets its event be claimed again, so that nobody waits for the disk.
const claim = statement<ClaimedEvent>(
  'claim_due_events',
  `with hurried as (select set_config('synchronous_commit', 'off', true)), wanted as (
     select r.merchant_id, r.url, w.room, r.probe_at
     from unnest($1::text[], $2::int[]) as w (merchant_id, room)
     join world.receivers r on r.merchant_id = w.merchant_id
   ), probes as (
     update world.receivers set probe_at = $4 from wanted w
     where w.probe_at <= $3 and receivers.merchant_id = w.merchant_id and receivers.probe_at <= $3
       and exists (select from world.events due where ${CLAIMABLE})
     returning w.merchant_id, w.url, 1 as room
   ), open as (
     select merchant_id, url, room from wanted where probe_at is null union all select * from probes
   ), picked as (
     select w.url, found.id from open w cross join lateral (
       select due.id from world.events due where ${CLAIMABLE}
       order by due.due_at, due.id limit w.room for update skip locked) found
   )
   update world.events set lease_until = $4 from picked, hurried
   where events.id = picked.id
   returning events.merchant_id as "merchantId", events.id, events.body, events.attempts,
     events.schedule_from as "scheduleFrom", events.due_at as "dueAt", picked.url`,
)

const release = statement(
  'release_events',
  'update world.events set lease_until = null where id = any($1::text[])',
)

/** Hops from merchant to merchant along the index: what waits behind the first event of each is not read. */
const MERCHANTS = `with recursive merchant (id) as (
    (select merchant_id from world.events where due_at is not null order by merchant_id limit 1)
    union all
    select (select merchant_id from world.events where due_at is not null and merchant_id > merchant.id
            order by merchant_id limit 1)
    from merchant where merchant.id is not null)`
const waiting = statement<{ id: string }>(
  'list_merchants_with_due_events',
  `${MERCHANTS}
   select merchant.id from merchant
   where exists (select from world.events due where due.merchant_id = merchant.id and due.due_at <= $1
       and (due.lease_until is null or due.lease_until <= $1))
     and not exists (select from world.receivers r where r.merchant_id = merchant.id and r.probe_at > $1)`,
)
const earliest = statement<{ at: Date | null }>(
  'find_next_due_event',
  `${MERCHANTS}
   select min(case when r.probe_at > $1 then greatest(r.probe_at, first.due_at) else later.due_at end) as at
   from merchant
   left join world.receivers r on r.merchant_id = merchant.id
   cross join lateral (
     select due_at from world.events where merchant_id = merchant.id and due_at is not null order by due_at limit 1) first
   left join lateral (
     select due_at from world.events where merchant_id = merchant.id and due_at > $1 order by due_at limit 1) later on true`,
)
const advance = statement(
  'bring_waiting_events_forward',
  'update world.events set due_at = $2 where merchant_id = $1 and due_at > $2',
)
const deliver = statement<{ merchantId: string }>(
  'record_deliveries',
  `with taken as (
     select * from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::int[], $6::int[], $7::text[], $8::timestamptz[],
       $9::timestamptz[]) as t (merchant_id, event_id, attempt, url, status_code, duration_ms, answer_start, created_at, at)
   ), noted as (
     insert into world.deliveries (merchant_id, event_id, attempt, url, status_code, duration_ms, answer_start, created_at)
     select merchant_id, event_id, attempt, url, status_code, duration_ms, answer_start, created_at from taken
     on conflict do nothing
   ), done as (
     update world.events set attempts = greatest(attempts, taken.attempt), state = 'delivered', due_at = null, lease_until = null,
       delivered_at = coalesce(delivered_at, taken.at)
     from taken where events.id = taken.event_id and state <> 'delivered'
   )
   select distinct e.merchant_id as "merchantId" from taken
   join world.receivers e on e.merchant_id = taken.merchant_id and e.url = taken.url and e.failures > 0`,
)
const dropOld = statement<DroppedEvent>(
  'delete_old_events',
  `with old as (
     delete from world.events where id in (
       select e.id from world.events e where e.id < $1
         and (e.state <> 'pending' or exists (
           select from world.receivers where receivers.merchant_id = e.merchant_id and paused_at is not null))
       order by e.id limit $2 for update skip locked)
     returning merchant_id, id, state
   ), gone as (
     delete from world.deliveries using old where deliveries.merchant_id = old.merchant_id and event_id = old.id
   )
   select merchant_id as "merchantId", state from old`,
)

/** Whose it was, and whether it had ever been taken. */
export type DroppedEvent = Pick<EventRecord, 'merchantId' | 'state'>

/** Of each merchant up to `room` due events, under a lease until `leaseUntil`; longest due first. */
export async function claimDueEvents(
  db: Queryable,
  wanted: { merchantId: string; room: number }[],
  now: Date,
  leaseUntil: Date,
): Promise<ClaimedEvent[]> {
  const rooms = wanted.map(({ room }) => room)
  return claim(db, [wanted.map(({ merchantId }) => merchantId), rooms, now, leaseUntil])
}

/** Ends the leases of events that have not been sent. */
export async function releaseEvents(db: Queryable, ids: string[]): Promise<void> {
  await release(db, [ids])
}

/** The merchants that have an event due and a receiver that takes one. */
export async function listMerchantsWithDueEvents(db: Queryable, now: Date): Promise<string[]> {
  return (await waiting(db, [now])).map(({ id }) => id)
}

/** When, after `after`, an event falls due at a receiver that does not rest by then; null when none does. */
export async function findNextDueEvent(db: Queryable, after: Date): Promise<Date | null> {
  return (await earliest(db, [after]))[0]?.at ?? null
}

/** Whatever of the merchant's waits for a later moment is due `at` this one. */
export async function bringWaitingEventsForward(db: Queryable, merchantId: string, at: Date): Promise<void> {
  await advance(db, [merchantId, at])
}

type Taken = Omit<DeliveryRecord, 'failure'> & { deliveredAt: Date }

const column = <Key extends keyof Taken>(rows: Taken[], name: Key) => rows.map((row) => row[name])

/** Notes an attempt that was accepted; many at once share a statement. True if the receiver had failed before. */
export const recordDelivered = batched(async (db: Db, rows: Taken[]): Promise<boolean[]> => {
  const merchants = column(rows, 'merchantId')
  const found = await deliver(db, [
    merchants,
    column(rows, 'eventId'),
    column(rows, 'attempt'),
    column(rows, 'url'),
    column(rows, 'statusCode'),
    column(rows, 'durationMs'),
    column(rows, 'answerStart'),
    column(rows, 'createdAt'),
    column(rows, 'deliveredAt'),
  ])
  const troubled = new Set(found.map(({ merchantId }) => merchantId))
  return merchants.map((merchantId) => troubled.has(merchantId))
})

/**
 * Deletes up to `limit` events, with their deliveries, whose ids sort before `beforeId`, and answers what they were. Kept: what
 * is still to be sent, unless its receiver is paused.
 */
export async function deleteOldEvents(
  db: Queryable,
  beforeId: string,
  limit: number,
): Promise<DroppedEvent[]> {
  return dropOld(db, [beforeId, limit])
}
