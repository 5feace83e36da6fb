/** Claims due events, makes waiting events due, records deliveries, and deletes old events. */
import { batched } from '../batch.ts'
import { type Db, type Queryable, statement } from '../db.ts'
import type { DeliveryRecord, EventRecord } from './events.ts'

/** An event that only the caller may send until its lease ends. `url`: the merchant's current callback URL. */
export type ClaimedEvent = Pick<
  EventRecord,
  'merchantId' | 'id' | 'paymentId' | 'body' | 'attempts' | 'scheduleFrom' | 'dueAt'
> & { url: string }

/**
 * A resting receiver gets no event. After its rest it gets one event, and the next one only after another rest. An event is
 * skipped while an earlier event of the same payment has had no attempt. `offset 0` here, and the update by id alone below, keep
 * the query fast: a plan that was cached while the table was empty must not read all events of a merchant later.
 */
const CLAIMABLE = `due.merchant_id = w.merchant_id and due.due_at <= $3 and (due.lease_until is null or due.lease_until <= $3)
  and not exists (
    select from world.events earlier
    where earlier.merchant_id = due.merchant_id and earlier.payment_id = due.payment_id
      and earlier.sequence < due.sequence and earlier.state = 'pending' and earlier.attempts = 0
    offset 0)`

/** Jumps from merchant to merchant along the index, so it reads only one event of each merchant. */
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

const deliver = statement<{ merchantId: string }>(
  'record_deliveries',
  `with taken as (
     select * from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::int[], $6::int[], $7::text[], $8::timestamptz[],
       $9::timestamptz[]) as t (merchant_id, event_id, attempt, url, status_code, duration_ms, response_start, created_at, at)
   ), noted as (
     insert into world.deliveries (merchant_id, event_id, attempt, url, status_code, duration_ms, response_start, created_at)
     select merchant_id, event_id, attempt, url, status_code, duration_ms, response_start, created_at from taken
     on conflict do nothing
   ), done as (
     update world.events set attempts = greatest(attempts, taken.attempt), state = 'delivered', due_at = null, lease_until = null,
       delivered_at = coalesce(delivered_at, taken.at)
     from taken where events.id = taken.event_id and state <> 'delivered'
   ), latest as (
     select r.merchant_id, t.at from (select merchant_id, url, max(at) as at from taken group by 1, 2) t
     join world.receivers r on r.merchant_id = t.merchant_id and r.url = t.url
     where r.accepted_at is null or r.accepted_at < t.at - interval '1 minute' for update of r skip locked
   ), seen as (
     update world.receivers r set accepted_at = latest.at from latest where r.merchant_id = latest.merchant_id
   )
   select distinct e.merchant_id as "merchantId" from taken
   join world.receivers e on e.merchant_id = taken.merchant_id and e.url = taken.url and e.failures > 0`,
)

/** The merchant of a deleted event, and whether the event was ever delivered. */
export type DeletedEvent = Pick<EventRecord, 'merchantId' | 'state'>

/** Claims up to `room` due events of each merchant, with a lease until `leaseUntil`. The events that have been due longest come first. */
// The claim need not wait for the disk. If the database crashes and loses a lease, the event is only claimed again.
export const claimDueEvents = statement<ClaimedEvent>(
  'claim_due_events',
  `with with_async_commit as (select set_config('synchronous_commit', 'off', true)), wanted as (
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
   update world.events set lease_until = $4 from picked, with_async_commit
   where events.id = picked.id
   returning events.merchant_id as "merchantId", events.id, events.payment_id as "paymentId", events.body, events.attempts,
     events.schedule_from as "scheduleFrom", events.due_at as "dueAt", picked.url`,
).all((wanted: { merchantId: string; room: number }[], now: Date, leaseUntil: Date) => {
  const rooms = wanted.map(({ room }) => room)
  return [wanted.map(({ merchantId }) => merchantId), rooms, now, leaseUntil]
})

/** Ends the leases of events that were not sent. */
export const releaseEvents = statement(
  'release_events',
  'update world.events set lease_until = null where id = any($1::text[])',
).run((ids: string[]) => [ids])

/** Returns the merchants that have a due event and a receiver that is not resting. */
export async function listMerchantsWithDueEvents(db: Queryable, now: Date): Promise<string[]> {
  return (await waiting(db, [now])).map(({ id }) => id)
}

/** Returns the first time after `after` at which an event is due and its receiver is not resting. Null if there is none. */
export const findNextDueEvent = statement<{ at: Date | null }>(
  'find_next_due_event',
  `${MERCHANTS}
   select min(case when r.probe_at > $1 then greatest(r.probe_at, first.due_at) else later.due_at end) as at
   from merchant
   left join world.receivers r on r.merchant_id = merchant.id
   cross join lateral (
     select due_at from world.events where merchant_id = merchant.id and due_at is not null order by due_at limit 1) first
   left join lateral (
     select due_at from world.events where merchant_id = merchant.id and due_at > $1 order by due_at limit 1) later on true`,
).value('at', null, (after: Date) => [after])

/** Makes the merchant's events that are due later due at `at`. */
export const bringWaitingEventsForward = statement(
  'bring_waiting_events_forward',
  'update world.events set due_at = $2 where merchant_id = $1 and due_at > $2',
).run((merchantId: string, at: Date) => [merchantId, at])

/** Addresses up to `limit` events that were written while nothing received them, the oldest first. Returns how many. */
// Nothing happens if the receiver has changed meanwhile, because then it takes nothing in.
export const addressEvents = statement<{ id: string }>(
  'address_events',
  `update world.events set state = 'pending', schedule_from = attempts, due_at = $2 where id in (
     select id from world.events where merchant_id = $1 and state = 'unaddressed' and body <> ''
       and exists (select from world.receivers where merchant_id = $1 and taking_in_until is not null)
     order by id limit $3 for update skip locked)
   returning id`,
).count((merchantId: string, at: Date, limit: number) => [merchantId, at, limit])

/** Whether the merchant has any event of this world. */
export const hasEvents = statement<{ found: true }>(
  'find_any_event',
  'select true as found from world.events where merchant_id = $1 limit 1',
).some((merchantId: string) => [merchantId])

type Accepted = Omit<DeliveryRecord, 'failure'> & { deliveredAt: Date }

const column = <Key extends keyof Accepted>(rows: Accepted[], name: Key) => rows.map((row) => row[name])

/** Records an accepted attempt. Concurrent calls share one statement. Returns true if the receiver had failed before. */
export const recordDelivered = batched(async (db: Db, rows: Accepted[]): Promise<boolean[]> => {
  const merchants = column(rows, 'merchantId')
  const found = await deliver(db, [
    merchants,
    column(rows, 'eventId'),
    column(rows, 'attempt'),
    column(rows, 'url'),
    column(rows, 'statusCode'),
    column(rows, 'durationMs'),
    column(rows, 'responseStart'),
    column(rows, 'createdAt'),
    column(rows, 'deliveredAt'),
  ])
  const failedBefore = new Set(found.map(({ merchantId }) => merchantId))
  return merchants.map((merchantId) => failedBefore.has(merchantId))
})

/**
 * Deletes up to `limit` events whose ids sort before `beforeId`, with their deliveries, and returns them. An event that is still
 * to be sent is not deleted, unless its receiver is paused.
 */
export const deleteOldEvents = statement<DeletedEvent>(
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
).all((beforeId: string, limit: number) => [beforeId, limit])
