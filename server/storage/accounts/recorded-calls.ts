/** Calls of drivers, as a test of their account has recorded them. Private data are replaced. */
import { statement } from '../db.ts'

/** `id` rises, also across processes. `about`: the payment or saved method. */
export type RecordedCallRecord = { id: string; about: string | null; call: unknown }

export const insertRecordedCall = statement(
  'insert_recorded_call',
  `insert into world.recorded_calls (account_id, subject_id, call, created_at)
   select id, $2, $3, $4 from world.accounts where id = $1`,
).run(
  ({
    accountId,
    about,
    call,
    createdAt,
  }: {
    accountId: string
    about: string | null
    call: unknown
    createdAt: Date
  }) => [accountId, about, JSON.stringify(call).replaceAll('\\u0000', ''), createdAt],
)

/** In the order in which the calls began. */
export const listRecordedCalls = statement<RecordedCallRecord>(
  'list_recorded_calls',
  `select id::text, subject_id as about, call from world.recorded_calls
   where account_id = $1 order by call->>'at', id`,
).all((accountId: string) => [accountId])

export const deleteRecordedCalls = statement(
  'delete_recorded_calls',
  'delete from world.recorded_calls where account_id = $1',
).run((accountId: string) => [accountId])
