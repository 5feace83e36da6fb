import { type Queryable, statement } from './db.ts'

const insert = statement(
  'insert_origin',
  `insert into origins (merchant_id, origin, created_at) values ($1, $2, $3) on conflict do nothing`,
)
const find = statement<{ origin: string }>(
  'find_origin',
  'select origin from origins where merchant_id = $1 and origin = $2',
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
