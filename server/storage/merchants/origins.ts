import { type Queryable, statement } from '../db.ts'

/** An origin that a merchant's calls to /v1 may have. `approvedAt`: when its domain was reviewed. */
export type OriginRecord = { origin: string; createdAt: Date; approvedAt: Date | null }

const insert = statement(
  'insert_origin',
  `insert into kassa.origins (merchant_id, origin, created_at) values ($1, $2, $3) on conflict do nothing`,
)
const find = statement<{ origin: string }>(
  'find_origin',
  'select origin from kassa.origins where merchant_id = $1 and origin = $2',
)
const ofMerchant = statement<OriginRecord>(
  'list_origins',
  `select origin, created_at as "createdAt", approved_at as "approvedAt"
   from kassa.origins where merchant_id = $1 order by created_at, origin`,
)
const approve = statement(
  'approve_origin',
  `insert into kassa.origins (merchant_id, origin, created_at, approved_at) values ($1, $2, $3, $3)
   on conflict (merchant_id, origin) do update set approved_at = coalesce(origins.approved_at, excluded.approved_at)`,
)
const remove = statement<{ origin: string }>(
  'delete_origin',
  'delete from kassa.origins where merchant_id = $1 and origin = $2 returning origin',
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

export async function listOrigins(db: Queryable, merchantId: string): Promise<OriginRecord[]> {
  return ofMerchant(db, [merchantId])
}

/** Stores that the origin's domain was reviewed. Adds the origin if it is missing. Approving again changes nothing. */
export async function approveOrigin(
  db: Queryable,
  merchantId: string,
  origin: string,
  at: Date,
): Promise<void> {
  await approve(db, [merchantId, origin, at])
}

/** Returns false if there was no such origin. */
export async function deleteOrigin(db: Queryable, merchantId: string, origin: string): Promise<boolean> {
  return (await remove(db, [merchantId, origin])).length > 0
}
