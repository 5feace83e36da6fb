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

const insert = statement(
  'insert_receiver',
  'insert into endpoints (merchant_id, url, failures) values ($1, $2, 0) on conflict do nothing',
)
const lock = statement<ReceiverRecord>(
  'lock_receiver',
  `select ${COLUMNS} from endpoints where merchant_id = $1 for update`,
)
const update = statement(
  'update_receiver',
  `update endpoints set url = $2, failures = $3, failing_since = $4, paused_at = $5, probe_at = $6
   where merchant_id = $1`,
)
const resting = statement<ReceiverRecord>(
  'list_resting_receivers',
  `select ${COLUMNS} from endpoints where ($1::text[] is null or merchant_id = any($1)) and probe_at is not null
     and url = (select callback_url from merchants where id = merchant_id) order by merchant_id limit $2`,
)
const remove = statement('delete_receiver', 'delete from endpoints where merchant_id = $1')

/** The receiver's row, locked; made if there is none. What it tells of another URL than `url` is forgotten. */
export async function lockReceiver(db: Queryable, merchantId: string, url: string): Promise<ReceiverRecord> {
  await insert(db, [merchantId, url])
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

/** Forgets how the receiver fared: it is in good health again. */
export async function deleteReceiver(db: Queryable, merchantId: string): Promise<void> {
  await remove(db, [merchantId])
}
