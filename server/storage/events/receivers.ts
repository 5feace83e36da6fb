import { type Queryable, statement } from '../db.ts'

/** How a callback URL fares. `probeAt`: while it is set, nothing is sent before it, and then one event at a time. */
export type ReceiverRecord = {
  merchantId: string
  url: string
  /** Consecutive ones. */
  failures: number
  failingSince: Date | null
  pausedAt: Date | null
  probeAt: Date | null
}

const COLUMNS = `merchant_id as "merchantId", url, failures, failing_since as "failingSince", paused_at as "pausedAt",
  probe_at as "probeAt"`

const upsert = statement(
  'upsert_receiver',
  `insert into world.receivers (merchant_id, url) values ($1, $2)
   on conflict (merchant_id) do update set url = excluded.url, failures = 0, failing_since = null, paused_at = null,
     probe_at = null`,
)
const lock = statement<ReceiverRecord>(
  'lock_receiver',
  `select ${COLUMNS} from world.receivers where merchant_id = $1 for update`,
)
const update = statement(
  'update_receiver',
  `update world.receivers set failures = $3, failing_since = $4, paused_at = $5, probe_at = $6
   where merchant_id = $1 and url = $2`,
)
const resting = statement<ReceiverRecord>(
  'list_resting_receivers',
  `select ${COLUMNS} from world.receivers where ($1::text[] is null or merchant_id = any($1)) and probe_at is not null
   order by merchant_id limit $2`,
)
const find = statement<ReceiverRecord>(
  'find_receiver',
  `select ${COLUMNS} from world.receivers where merchant_id = $1`,
)

/** The receiver's row, locked. A healthy one for a URL that is not the merchant's any more: nothing is stored for it. */
export async function lockReceiver(db: Queryable, merchantId: string, url: string): Promise<ReceiverRecord> {
  const [row] = await lock(db, [merchantId])
  if (row?.url === url) return row
  return { merchantId, url, failures: 0, failingSince: null, pausedAt: null, probeAt: null }
}

export async function updateReceiver(db: Queryable, record: ReceiverRecord): Promise<void> {
  const { merchantId, url, failures, failingSince, pausedAt, probeAt } = record
  await update(db, [merchantId, url, failures, failingSince, pausedAt, probeAt])
}

/** Those that rest or are paused, by merchant; null: of all merchants. */
export async function listRestingReceivers(
  db: Queryable,
  merchantIds: string[] | null,
  limit: number,
): Promise<ReceiverRecord[]> {
  return resting(db, [merchantIds, limit])
}

/** Sets where a merchant's events go. The receiver starts in good health, also with the URL that it had. */
export async function setReceiverUrl(db: Queryable, merchantId: string, url: string): Promise<void> {
  await upsert(db, [merchantId, url])
}

/** Null for a merchant without a callback URL. */
export async function findReceiver(db: Queryable, merchantId: string): Promise<ReceiverRecord | null> {
  return (await find(db, [merchantId]))[0] ?? null
}
