import { type Queryable, statement } from './db.ts'

const insert = statement(
  'insert_origin',
  `insert into origins (merchant_id, origin, created_at) values ($1, $2, $3) on conflict do nothing`,
)
const find = statement<{ origin: string }>(
  'find_origin',
  'select origin from origins where merchant_id = $1 and origin = $2',
)
const ofMerchant = statement<{ origin: string }>(
  'list_origins',
  'select origin from origins where merchant_id = $1 order by created_at, origin',
)
const remove = statement<{ origin: string }>(
  'delete_origin',
  'delete from origins where merchant_id = $1 and origin = $2 returning origin',
)

/** Adding an origin that is there already changes nothing. */
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

export async function listOrigins(db: Queryable, merchantId: string): Promise<string[]> {
  return (await ofMerchant(db, [merchantId])).map((row) => row.origin)
}

/** Answers false when it was not there. */
export async function deleteOrigin(db: Queryable, merchantId: string, origin: string): Promise<boolean> {
  return (await remove(db, [merchantId, origin])).length > 0
}
