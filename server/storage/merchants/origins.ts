/** Two separate facts about an origin: calls to /v1 may carry it, and an operator has reviewed its domain. */
import { type Queryable, statement } from '../db.ts'

/** `trustedAt`: since when calls to /v1 may carry it. `approvedAt`: when its domain was reviewed. At least one of them is set. */
export type OriginRecord = { origin: string; trustedAt: Date | null; approvedAt: Date | null }

const insert = statement(
  'insert_origin',
  `insert into kassa.origins (merchant_id, origin, created_at) values ($1, $2, $3) on conflict do nothing`,
)
const find = statement<{ origin: string }>(
  'find_origin',
  'select origin from kassa.origins where merchant_id = $1 and origin = $2',
)
const remove = statement<{ origin: string }>(
  'delete_origin',
  'delete from kassa.origins where merchant_id = $1 and origin = $2 returning origin',
)
const insertReview = statement(
  'insert_domain_review',
  `with asked as (delete from kassa.domain_requests where merchant_id = $1 and origin = $2)
   insert into kassa.domain_reviews (merchant_id, origin, approved_at) values ($1, $2, $3) on conflict do nothing`,
)
const removeReview = statement<{ origin: string }>(
  'delete_domain_review',
  'delete from kassa.domain_reviews where merchant_id = $1 and origin = $2 returning origin',
)
const ofMerchant = statement<OriginRecord>(
  'list_origins',
  `select origin, t.created_at as "trustedAt", r.approved_at as "approvedAt"
   from (select origin, created_at from kassa.origins where merchant_id = $1) t
   full join (select origin, approved_at from kassa.domain_reviews where merchant_id = $1) r using (origin)
   order by least(t.created_at, r.approved_at), origin`,
)

/** Adding an origin again changes nothing. */
export async function insertOrigin(
  db: Queryable,
  merchantId: string,
  origin: string,
  at: Date,
): Promise<void> {
  await insert(db, [merchantId, origin, at])
}

export async function hasOrigin(db: Queryable, merchantId: string, origin: string): Promise<boolean> {
  return (await find(db, [merchantId, origin])).length > 0
}

/** Returns false if there was no such origin. */
export async function deleteOrigin(db: Queryable, merchantId: string, origin: string): Promise<boolean> {
  return (await remove(db, [merchantId, origin])).length > 0
}

/** Returns trusted and reviewed origins, the oldest first. */
export async function listOrigins(db: Queryable, merchantId: string): Promise<OriginRecord[]> {
  return ofMerchant(db, [merchantId])
}

/** Approving again changes nothing. It ends the request for it. */
export async function insertDomainReview(
  db: Queryable,
  merchantId: string,
  origin: string,
  at: Date,
): Promise<void> {
  await insertReview(db, [merchantId, origin, at])
}

/** Returns false if the domain was not approved. */
export async function deleteDomainReview(
  db: Queryable,
  merchantId: string,
  origin: string,
): Promise<boolean> {
  return (await removeReview(db, [merchantId, origin])).length > 0
}
