/** The log of the requests to providers and of their responses. */
import { statement } from './db.ts'
import { fieldsOf, type RecordOf, selected } from './fields.ts'

const FIELDS = fieldsOf('provider_exchanges', [
  'accountId',
  'subjectId as about',
  'method',
  'url',
  'status',
  'failure',
  'durationMs',
  'requestBody',
  'responseBody',
  'createdAt',
])
export type ExchangeRecord = RecordOf<'provider_exchanges', typeof FIELDS>

const COLUMNS = selected(FIELDS)

/** An account whose provider has not answered any of the last requests. */
export type SilentAccount = { accountId: string; requests: number; since: Date; reason: string }

/** NUL, which PostgreSQL rejects in texts, is left out. */
export const insertExchanges = statement(
  'insert_exchanges',
  `insert into world.provider_exchanges (account_id, subject_id, method, url, status, failure, duration_ms, request_body, response_body, created_at)
   select "accountId", about, method, url, status, failure, "durationMs", "requestBody", "responseBody", "createdAt"
   from jsonb_to_recordset($1::jsonb) as input("accountId" text, about text, method text, url text, status integer,
     failure text, "durationMs" integer, "requestBody" text, "responseBody" text, "createdAt" timestamptz)`,
).run((exchanges: ExchangeRecord[]) => [JSON.stringify(exchanges).replaceAll('\\u0000', '')])

/** The last `limit` exchanges about a payment or a saved method, the oldest first. */
export const listExchanges = statement<ExchangeRecord>(
  'list_exchanges',
  `select * from (
     select id, ${COLUMNS}
     from world.provider_exchanges where subject_id = $1 order by id desc limit $2) newest
   order by id`,
).all((about: string, limit: number) => [about, limit])

/** The accounts with at least `requests` requests since `since`, none of which had an answer. */
export const listSilentAccounts = statement<SilentAccount>(
  'list_silent_accounts',
  `select account_id as "accountId", count(*)::integer as requests, min(created_at) as since,
     (array_agg(coalesce(failure, 'status ' || status) order by id desc))[1] as reason
   from world.provider_exchanges where created_at > $1
   group by account_id having count(*) >= $2 and bool_and(failure is not null or status >= 500)`,
).all((since: Date, requests: number) => [since, requests])

/** Deletes up to `limit` exchanges from before `before`. Returns how many. */
export const deleteOldExchanges = statement<{ id: number }>(
  'delete_old_exchanges',
  `delete from world.provider_exchanges where id in (
     select id from world.provider_exchanges where created_at < $1 order by created_at limit $2) returning id`,
).count((before: Date, limit: number) => [before, limit])
