import { type Queryable, statement } from '../db.ts'

/** What a receiver made of one request. `durationMs` in milliseconds; `advice` says what to do where it did not pass. */
export type CheckLine = {
  name: string
  passed: boolean
  /** It was not tried, as an earlier line shows why it would tell nothing. */
  skipped?: true
  statusCode: number | null
  durationMs: number
  advice: string | null
}

/** One trial of a callback URL: the answer to its good test event, and the whole report. `durationMs` in milliseconds. */
export type CallbackCheckRecord = {
  merchantId: string
  /** The id of the event that was sent. */
  id: string
  url: string
  accepted: boolean
  statusCode: number | null
  durationMs: number
  failure: string | null
  checks: CheckLine[]
  createdAt: Date
}

const insert = statement(
  'insert_callback_check',
  `insert into world.callback_checks (merchant_id, id, url, accepted, status_code, duration_ms, failure, checks, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
)
const latest = statement<CallbackCheckRecord>(
  'find_latest_callback_check',
  `select merchant_id as "merchantId", id, url, accepted, status_code as "statusCode", duration_ms as "durationMs", failure,
     checks, created_at as "createdAt"
   from world.callback_checks where merchant_id = $1 and url = $2 order by id desc limit 1`,
)

export async function insertCallbackCheck(db: Queryable, record: CallbackCheckRecord): Promise<void> {
  const { merchantId, id, url, accepted, statusCode, durationMs, failure, checks, createdAt } = record
  const answer = [accepted, statusCode, durationMs, failure, JSON.stringify(checks)]
  await insert(db, [merchantId, id, url, ...answer, createdAt])
}

/** The last time that this URL was tried for this merchant. */
export async function findLatestCallbackCheck(
  db: Queryable,
  merchantId: string,
  url: string,
): Promise<CallbackCheckRecord | null> {
  return (await latest(db, [merchantId, url]))[0] ?? null
}
