/** Two separate facts about an origin: calls to /v1 may carry it, and an operator has reviewed its domain. */
import { statement } from '../db.ts'

/** `trustedAt`: since when calls to /v1 may carry it. `approvedAt`: when its domain was reviewed. At least one of them is set. */
export type OriginRecord = { origin: string; trustedAt: Date | null; approvedAt: Date | null }

/** Adding an origin again changes nothing. */
export const insertOrigin = statement(
  'insert_origin',
  `insert into kassa.origins (merchant_id, origin, created_at) values ($1, $2, $3) on conflict do nothing`,
).run((merchantId: string, origin: string, at: Date) => [merchantId, origin, at])

export const hasOrigin = statement<{ origin: string }>(
  'find_origin',
  'select origin from kassa.origins where merchant_id = $1 and origin = $2',
).some((merchantId: string, origin: string) => [merchantId, origin])

/** Returns false if there was no such origin. */
export const deleteOrigin = statement<{ origin: string }>(
  'delete_origin',
  'delete from kassa.origins where merchant_id = $1 and origin = $2 returning origin',
).some((merchantId: string, origin: string) => [merchantId, origin])

/** Returns trusted and reviewed origins, the oldest first. */
export const listOrigins = statement<OriginRecord>(
  'list_origins',
  `select origin, t.created_at as "trustedAt", r.approved_at as "approvedAt"
   from (select origin, created_at from kassa.origins where merchant_id = $1) t
   full join (select origin, approved_at from kassa.domain_reviews where merchant_id = $1) r using (origin)
   order by least(t.created_at, r.approved_at), origin`,
).all((merchantId: string) => [merchantId])

/** Approving again changes nothing. It ends the request for it. */
export const insertDomainReview = statement(
  'insert_domain_review',
  `with asked as (delete from kassa.domain_requests where merchant_id = $1 and origin = $2)
   insert into kassa.domain_reviews (merchant_id, origin, approved_at) values ($1, $2, $3) on conflict do nothing`,
).run((merchantId: string, origin: string, at: Date) => [merchantId, origin, at])

/** Returns false if the domain was not approved. */
export const deleteDomainReview = statement<{ origin: string }>(
  'delete_domain_review',
  'delete from kassa.domain_reviews where merchant_id = $1 and origin = $2 returning origin',
).some((merchantId: string, origin: string) => [merchantId, origin])
