import { statement } from '../db.ts'

export type CheckName =
  | 'accepts_event'
  | 'no_redirect'
  | 'answers_fast'
  | 'refuses_missing_signature'
  | 'refuses_bad_signature'
  | 'refuses_stale_timestamp'
  | 'refuses_changed_body'
  | 'accepts_duplicate'

/** The result of one check of a receiver. `advice`: what to do if the check failed. */
export type CheckLine = {
  name: CheckName
  passed: boolean
  /** The check was not made, because an earlier check failed. */
  skipped?: true
  statusCode: number | null
  durationMs: number
  advice: string | null
}

/** One verification of a callback URL: the response to the valid test event, and all checks. */
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

export const insertCallbackCheck = statement(
  'insert_callback_check',
  `insert into world.callback_checks (merchant_id, id, url, accepted, status_code, duration_ms, failure, checks, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
).run((record: CallbackCheckRecord) => {
  const { merchantId, id, url, accepted, statusCode, durationMs, failure, checks, createdAt } = record
  const result = [accepted, statusCode, durationMs, failure, JSON.stringify(checks)]
  return [merchantId, id, url, ...result, createdAt]
})

/** Returns the latest verification of this URL for this merchant. */
export const findLatestCallbackCheck = statement<CallbackCheckRecord>(
  'find_latest_callback_check',
  `select merchant_id as "merchantId", id, url, accepted, status_code as "statusCode", duration_ms as "durationMs", failure,
     checks, created_at as "createdAt"
   from world.callback_checks where merchant_id = $1 and url = $2 order by id desc limit 1`,
).first((merchantId: string, url: string) => [merchantId, url])
