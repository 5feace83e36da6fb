import { type Queryable, statement } from '../db.ts'

/** Only an open merchant takes new payments. */
export type MerchantState = 'open' | 'paused' | 'closed'

/** `callbackUrl`: the URL that gets the merchant's events of this world. `stoppedAt`: when it was paused or closed. */
export type MerchantRecord = {
  id: string
  name: string
  callbackUrl: string | null
  state: MerchantState
  stoppedAt: Date | null
  stoppedWhy: string | null
  createdAt: Date
}

const COLUMNS = `m.id, m.name, r.url as "callbackUrl", m.state, m.stopped_at as "stoppedAt", m.stopped_why as "stoppedWhy",
  m.created_at as "createdAt"`
const TABLES = 'kassa.merchants m left join world.receivers r on r.merchant_id = m.id'

const insert = statement(
  'insert_merchant',
  'insert into kassa.merchants (id, name, created_at) values ($1, $2, $3)',
)
const findById = statement<MerchantRecord>(
  'find_merchant',
  `select ${COLUMNS} from ${TABLES} where m.id = $1`,
)
const all = statement<MerchantRecord>('list_merchants', `select ${COLUMNS} from ${TABLES} order by m.id`)
const rename = statement<{ id: string }>(
  'rename_merchant',
  'update kassa.merchants set name = $2 where id = $1 returning id',
)

const lock = statement('lock_merchant', 'select from kassa.merchants where id = $1 for no key update')

/** Until the transaction ends, nobody else locks it. Its payments go on. */
export async function lockMerchant(tx: Queryable, id: string): Promise<void> {
  await lock(tx, [id])
}

// Repeating it keeps the time.
const writeState = statement(
  'write_merchant_state',
  `update kassa.merchants set state = $2, stopped_at = case when state = $2 then stopped_at else $3 end,
     stopped_why = case when state = $2 then coalesce($4, stopped_why) else $4 end
   where id = $1`,
)

/** `at`: null for `open`. */
export async function updateMerchantState(
  db: Queryable,
  id: string,
  { state, at, why }: { state: MerchantState; at: Date | null; why: string | null },
): Promise<void> {
  await writeState(db, [id, state, at, why])
}

/** Returns false if there is no such merchant. */
export async function updateMerchantName(db: Queryable, id: string, name: string): Promise<boolean> {
  return (await rename(db, [id, name])).length > 0
}

export async function insertMerchant(
  db: Queryable,
  { id, name, createdAt }: Pick<MerchantRecord, 'id' | 'name' | 'createdAt'>,
): Promise<void> {
  await insert(db, [id, name, createdAt])
}

export async function findMerchant(db: Queryable, id: string): Promise<MerchantRecord | null> {
  return (await findById(db, [id]))[0] ?? null
}

export async function listMerchants(db: Queryable): Promise<MerchantRecord[]> {
  return all(db, [])
}
