import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

const FIELDS = fieldsOf('receivers', [
  'merchantId',
  'url',
  /** Failures in a row. */
  'failures',
  'failingSince',
  'pausedAt',
  'probeAt',
])
/** The health of a callback URL. `probeAt`: if set, nothing is sent before this time, and then one event at a time. */
export type ReceiverRecord = RecordOf<'receivers', typeof FIELDS>

const COLUMNS = selected(FIELDS)

const lock = statement<ReceiverRecord>(
  'lock_receiver',
  `select ${COLUMNS} from world.receivers where merchant_id = $1 for update`,
)

const at = statement<{ merchantId: string }>(
  'list_receivers_at',
  'select merchant_id as "merchantId" from world.receivers where url = $1 order by merchant_id',
)

/** Locks and returns the receiver's row. Returns a healthy state that is not stored if the merchant has another URL now. */
export async function lockReceiver(db: Queryable, merchantId: string, url: string): Promise<ReceiverRecord> {
  const [row] = await lock(db, [merchantId])
  if (row?.url === url) return row
  return { merchantId, url, failures: 0, failingSince: null, pausedAt: null, probeAt: null }
}

export const updateReceiver = statement(
  'update_receiver',
  `update world.receivers set failures = $3, failing_since = $4, paused_at = $5, probe_at = $6
   where merchant_id = $1 and url = $2`,
).run((record: ReceiverRecord) => {
  const { merchantId, url, failures, failingSince, pausedAt, probeAt } = record
  return [merchantId, url, failures, failingSince, pausedAt, probeAt]
})

/** Returns receivers that are resting after so many failures, or paused. `merchantIds`: null for all merchants. */
export const listRestingReceivers = statement<ReceiverRecord>(
  'list_resting_receivers',
  `select ${COLUMNS} from world.receivers where ($1::text[] is null or merchant_id = any($1)) and probe_at is not null
     and (paused_at is not null or failures >= $3)
   order by merchant_id limit $2`,
).all((merchantIds: string[] | null, { failures, limit }: { failures: number; limit: number }) => [
  merchantIds,
  limit,
  failures,
])

/** For the order book: until when sales are earlier ones, and until when their events may still appear. */
export type TakingIn = { earlierUntil: Date | null; takingInUntil: Date | null }

/** Sets a merchant's callback URL. The receiver starts as healthy, even if the URL stays the same. */
export const setReceiverUrl = statement(
  'upsert_receiver',
  `insert into world.receivers (merchant_id, url, earlier_until, taking_in_until) values ($1, $2, $3, $4)
   on conflict (merchant_id) do update set url = excluded.url, failures = 0, failing_since = null, paused_at = null,
     probe_at = null, accepted_at = null,
     taking_in_until = case when receivers.url = excluded.url then receivers.taking_in_until end`,
).run((merchantId: string, url: string, takingIn?: TakingIn | null) => [
  merchantId,
  url,
  takingIn?.earlierUntil ?? null,
  takingIn?.takingInUntil ?? null,
])

/** Sales before then were made while nothing received the merchant's events. Null if there is no such time. */
export const findEarlierUntil = statement<{ earlierUntil: Date | null }>(
  'find_earlier_until',
  'select earlier_until as "earlierUntil" from world.receivers where merchant_id = $1',
).value('earlierUntil', null, (merchantId: string) => [merchantId])

/** Returns the merchants whose order book still takes in events of before. */
export const listTakingIn = statement<{ merchantId: string; takingInUntil: Date }>(
  'list_receivers_taking_in',
  `select merchant_id as "merchantId", taking_in_until as "takingInUntil" from world.receivers
   where taking_in_until is not null order by merchant_id limit $1`,
).all((limit: number) => [limit])

export const endTakingIn = statement(
  'end_receiver_taking_in',
  'update world.receivers set taking_in_until = null where merchant_id = $1',
).run((merchantId: string) => [merchantId])

/** Returns null for a merchant without a callback URL. */
export const findReceiver = statement<ReceiverRecord>(
  'find_receiver',
  `select ${COLUMNS} from world.receivers where merchant_id = $1`,
).first((merchantId: string) => [merchantId])

/** Returns the callback URL, and when it last accepted an event, to within a minute. Null for a merchant without a URL. */
export const findLastAccepted = statement<{ url: string; acceptedAt: Date | null }>(
  'find_last_accepted',
  'select url, accepted_at as "acceptedAt" from world.receivers where merchant_id = $1',
).first((merchantId: string) => [merchantId])

/** Returns the merchants whose events go to exactly this address. It reads all receivers, so it is not for the hot path. */
export async function listReceiversAt(db: Queryable, url: string): Promise<string[]> {
  return (await at(db, [url])).map(({ merchantId }) => merchantId)
}
