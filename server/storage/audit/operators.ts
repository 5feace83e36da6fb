/** The people who operate the deployment. A removed person stays, because the log names the id. */
import { type Queryable, statement } from '../db.ts'

export const ROLES = ['viewer', 'operator', 'administrator'] as const
/** Each may do what those before it may. */
export type Role = (typeof ROLES)[number]

export type OperatorRecord = {
  id: string
  name: string
  role: Role
  createdAt: Date
  removedAt: Date | null
}

const COLUMNS = 'id, name, role, created_at as "createdAt", removed_at as "removedAt"'

const insert = statement(
  'insert_operator',
  'insert into kassa.operators (id, name, role, key_digest, created_at) values ($1, $2, $3, $4, $5) on conflict do nothing returning id',
)
const all = statement<OperatorRecord>('list_operators', `select ${COLUMNS} from kassa.operators order by id`)
const byKey = statement<OperatorRecord>(
  'find_operator_by_key',
  `select ${COLUMNS} from kassa.operators where key_digest = $1`,
)
const update = statement(
  'update_operator',
  'update kassa.operators set role = coalesce($2, role), key_digest = coalesce($3, key_digest), removed_at = $4 where id = $1',
)
const lock = statement('lock_operators', 'lock table kassa.operators in share row exclusive mode')

/** Returns false if a present operator has the name. */
export async function insertOperator(
  tx: Queryable,
  { id, name, role, createdAt, keyDigest }: Omit<OperatorRecord, 'removedAt'> & { keyDigest: Buffer },
): Promise<boolean> {
  return (await insert(tx, [id, name, role, keyDigest, createdAt])).length > 0
}

/** Returns every operator, removed ones too, the oldest first. */
export async function listOperators(db: Queryable): Promise<OperatorRecord[]> {
  return all(db, [])
}

export async function findOperatorByKey(db: Queryable, keyDigest: Buffer): Promise<OperatorRecord | null> {
  return (await byKey(db, [keyDigest]))[0] ?? null
}

/** Changes what is given. */
export async function updateOperator(
  tx: Queryable,
  id: string,
  { role, keyDigest, removedAt }: { role?: Role; keyDigest?: Buffer; removedAt?: Date },
): Promise<void> {
  await update(tx, [id, role ?? null, keyDigest ?? null, removedAt ?? null])
}

/** Lets one transaction at a time change operators, so that two cannot remove the last two administrators at once. */
export async function lockOperators(tx: Queryable): Promise<void> {
  await lock(tx, [])
}
