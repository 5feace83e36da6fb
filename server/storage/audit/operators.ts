/** The people who operate the deployment. A removed person stays, because the log names the id. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import { WORDS } from '../rows.ts'

/** The roles of the command line. Each may do what those before it may. */
export const ROLES = ['viewer', 'operator', 'administrator'] as const
export type Role = (typeof ROLES)[number]
/** The roles of the console. A shop and a cashier use nothing else. */
export const USER_ROLES = WORDS['operators.role']
export type UserRole = (typeof USER_ROLES)[number]

const FIELDS = fieldsOf('operators', ['id', 'name', 'role', 'createdAt', 'removedAt'])
export type OperatorRecord = RecordOf<'operators', typeof FIELDS> & {
  /** Whether a personal key lets the person use the command line. */
  hasKey: boolean
}

const COLUMNS = `${selected(FIELDS)}, key_digest is not null as "hasKey"`

const names = statement<{ id: string; name: string }>(
  'list_operator_names',
  'select id, name from kassa.operators where id = any($1::text[])',
)

/** Returns false if a present operator has the name. */
export const insertOperator = statement(
  'insert_operator',
  'insert into kassa.operators (id, name, role, key_digest, created_at) values ($1, $2, $3, $4, $5) on conflict do nothing returning id',
).some(
  ({
    id,
    name,
    role,
    createdAt,
    keyDigest,
  }: Omit<OperatorRecord, 'removedAt' | 'hasKey'> & { keyDigest: Buffer | null }) => [
    id,
    name,
    role,
    keyDigest,
    createdAt,
  ],
)

/** Returns every operator, removed ones too, the oldest first. */
export const listOperators = statement<OperatorRecord>(
  'list_operators',
  `select ${COLUMNS} from kassa.operators order by id`,
).all()

export const findOperator = statement<OperatorRecord>(
  'find_operator',
  `select ${COLUMNS} from kassa.operators where id = $1`,
).first((id: string) => [id])

/** Returns the names of these operators by their ids. */
export async function listOperatorNames(db: Queryable, ids: string[]): Promise<Map<string, string>> {
  return new Map((await names(db, [ids])).map(({ id, name }) => [id, name]))
}

export const findOperatorByKey = statement<OperatorRecord>(
  'find_operator_by_key',
  `select ${COLUMNS} from kassa.operators where key_digest = $1`,
).first((keyDigest: Buffer) => [keyDigest])

/** Changes what is given. `keyDigest`: null ends the key. */
export const updateOperator = statement(
  'update_operator',
  `update kassa.operators set role = coalesce($2, role), removed_at = $4,
     key_digest = case when $5 then null else coalesce($3, key_digest) end where id = $1`,
).run(
  (
    id: string,
    { role, keyDigest, removedAt }: { role?: UserRole; keyDigest?: Buffer | null; removedAt?: Date },
  ) => [id, role ?? null, keyDigest ?? null, removedAt ?? null, keyDigest === null],
)

/** Lets one transaction at a time change operators, so that two cannot remove the last two administrators at once. */
export const lockOperators = statement(
  'lock_operators',
  'lock table kassa.operators in share row exclusive mode',
).run()

/** Whether the table of the operators exists. A database of a version before has none. */
export const hasOperators = statement<{ found: boolean }>(
  'has_operators',
  `select to_regclass('kassa.operators') is not null as found`,
).value('found', false)

/** Whether the person waits after a restore. A database of a version before knows of no waiting. */
export const isWaiting = statement<{ waits: boolean }>(
  'is_operator_waiting',
  `select to_jsonb(o) ->> 'waits_since' is not null as waits from kassa.operators o where id = $1`,
).value('waits', false, (id: string) => [id])
