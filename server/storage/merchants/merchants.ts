import { type Queryable, statement } from '../db.ts'

export type MerchantRecord = { id: string; name: string; callbackUrl: string | null; createdAt: Date }

const COLUMNS = `id, name, callback_url as "callbackUrl", created_at as "createdAt"`

const insert = statement(
  'insert_merchant',
  'insert into merchants (id, name, callback_url, created_at) values ($1, $2, $3, $4)',
)
const findById = statement<MerchantRecord>('find_merchant', `select ${COLUMNS} from merchants where id = $1`)
const all = statement<MerchantRecord>('list_merchants', `select ${COLUMNS} from merchants order by id`)
const updateCallback = statement<{ id: string }>(
  'update_merchant_callback',
  'update merchants set callback_url = $2 where id = $1 returning id',
)

export async function insertMerchant(db: Queryable, record: MerchantRecord): Promise<void> {
  await insert(db, [record.id, record.name, record.callbackUrl, record.createdAt])
}

export async function findMerchant(db: Queryable, id: string): Promise<MerchantRecord | null> {
  return (await findById(db, [id]))[0] ?? null
}

export async function listMerchants(db: Queryable): Promise<MerchantRecord[]> {
  return all(db, [])
}

/** Answers false when there is no such merchant. */
export async function updateCallbackUrl(db: Queryable, id: string, callbackUrl: string): Promise<boolean> {
  return (await updateCallback(db, [id, callbackUrl])).length > 0
}
