/** Addresses that shops have asked to be reviewed. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

const FIELDS = fieldsOf('domain_requests', ['merchantId', 'origin', 'askedAt', 'refusedAt', 'refusedWhy'])
/** `origin`: an origin or a public page. `refusedWhy`: null while it waits. */
export type DomainRequest = RecordOf<'domain_requests', typeof FIELDS>

const COLUMNS = selected(FIELDS, 'q')
/** An older version approves without removing the request. */
const OPEN = `not exists (select from kassa.domain_reviews r where r.merchant_id = q.merchant_id and r.origin = q.origin)`

// Those that an older version has approved are few, and go away with the next review of their shop.
const waiting = (name: string, scope: string) =>
  statement<DomainRequest>(
    name,
    `select ${COLUMNS} from kassa.domain_requests q where q.refused_at is null and ${OPEN}
       and (q.asked_at, q.merchant_id, q.origin) > ($1::timestamptz, $2::text, $3::text) and ${scope}
     order by q.asked_at, q.merchant_id, q.origin limit $4`,
  )
const waitingOfAll = waiting('list_waiting_domain_requests', '$5::text is null')
const waitingOfMerchant = waiting('list_waiting_domain_requests_of', 'q.merchant_id = $5')

type Named = { merchantId: string; origin: string }

/** Asking again changes nothing, except after a refusal. */
export const insertDomainRequest = statement(
  'ask_domain_review',
  `insert into kassa.domain_requests as known (merchant_id, origin, asked_at) values ($1, $2, $3)
   on conflict (merchant_id, origin) do update set asked_at = excluded.asked_at, refused_at = null, refused_why = null
   where known.refused_at is not null`,
).run(({ merchantId, origin }: Named, at: Date) => [merchantId, origin, at])

export const countDomainRequests = statement<{ count: number }>(
  'count_domain_requests',
  'select count(*)::int as count from kassa.domain_requests where merchant_id = $1',
).value('count', 0, (merchantId: string) => [merchantId])

/** Returns false if it does not wait. */
export const refuseDomainRequest = statement<{ origin: string }>(
  'refuse_domain_review',
  `update kassa.domain_requests set refused_at = $3, refused_why = $4
   where merchant_id = $1 and origin = $2 and refused_at is null returning origin`,
).some(({ merchantId, origin }: Named, { at, why }: { at: Date; why: string }) => [
  merchantId,
  origin,
  at,
  why,
])

/** Returns false if there was none. */
export const deleteDomainRequest = statement<{ origin: string }>(
  'delete_domain_request',
  'delete from kassa.domain_requests where merchant_id = $1 and origin = $2 returning origin',
).some(({ merchantId, origin }: Named) => [merchantId, origin])

/** Returns what waits and what was refused, the oldest first. */
export const listDomainRequests = statement<DomainRequest>(
  'list_domain_requests',
  `select ${COLUMNS} from kassa.domain_requests q where q.merchant_id = $1 and ${OPEN} order by q.asked_at, q.origin`,
).all((merchantId: string) => [merchantId])

/** Returns what waits, the oldest first. `after`: the last one of the page before. `merchantId`: null for all merchants. */
export async function listWaitingRequests(
  db: Queryable,
  {
    merchantId,
    after,
    limit,
  }: {
    merchantId: string | null
    after: Pick<DomainRequest, 'askedAt' | 'merchantId' | 'origin'> | null
    limit: number
  },
): Promise<DomainRequest[]> {
  const from = after ? [after.askedAt, after.merchantId, after.origin] : [new Date(0), '', '']
  return (merchantId === null ? waitingOfAll : waitingOfMerchant)(db, [...from, limit, merchantId])
}
