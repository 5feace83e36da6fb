import { statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

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

const FIELDS = fieldsOf('callback_checks', [
  'merchantId',
  /** The id of the event that was sent. */
  'id',
  'url',
  'accepted',
  'statusCode',
  'durationMs',
  'failure',
  'checks',
  'createdAt',
])
/** One verification of a callback URL: the response to the valid test event, and all checks. */
export type CallbackCheckRecord = RecordOf<'callback_checks', typeof FIELDS, { checks: CheckLine[] }>

const COLUMNS = selected(FIELDS)

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
  `select ${COLUMNS}
   from world.callback_checks where merchant_id = $1 and url = $2 order by id desc limit 1`,
).first((merchantId: string, url: string) => [merchantId, url])
