import { type Queryable, statement } from '../db.ts'

/** `callbackUrl`: the URL that gets the merchant's events of this world. */
export type MerchantRecord = { id: string; name: string; callbackUrl: string | null; createdAt: Date }

const COLUMNS = `m.id, m.name, r.url as "callbackUrl", m.created_at as "createdAt"`
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

/** Returns false if there is no such merchant. */
export async function updateMerchantName(db: Queryable, id: string, name: string): Promise<boolean> {
  return (await rename(db, [id, name])).length > 0
}

export async function insertMerchant(
  db: Queryable,
  { id, name, createdAt }: Omit<MerchantRecord, 'callbackUrl'>,
): Promise<void> {
  await insert(db, [id, name, createdAt])
}

export async function findMerchant(db: Queryable, id: string): Promise<MerchantRecord | null> {
  return (await findById(db, [id]))[0] ?? null
}

export async function listMerchants(db: Queryable): Promise<MerchantRecord[]> {
  return all(db, [])
}
