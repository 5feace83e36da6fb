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
