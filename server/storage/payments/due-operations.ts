/** The operations that are due, account by account. */
import type { OperationType } from '../../contract/operation.ts'
import { type Queryable, statement } from '../db.ts'
import { OPERATION_COLUMNS, type OperationRecord } from './operations.ts'

// "offset 0" keeps the planner from joining the tables: it looks into the index once for each account.
const accounts = statement<{ id: string }>(
  'list_accounts_with_due_operations',
  `select a.id from world.accounts a where exists (
     select from world.operations o where o.account_id = a.id and o.due_at <= $1 and o.type = any($2::text[]) offset 0)`,
)

/** Claims up to `limit` due operations of this account and of these types. They are due again at `leaseUntil`. */
export const claimDueOperations = statement<OperationRecord>(
  'claim_due_operations',
  `update world.operations set due_at = $2, attempts = attempts + 1
   where (merchant_id, id) in (
     select merchant_id, id from world.operations where account_id = $5 and due_at <= $1 and type = any($4::text[])
     order by due_at, id limit $3 for update skip locked)
   returning ${OPERATION_COLUMNS}`,
).all(
  (
    accountId: string,
    { now, leaseUntil, limit, types }: { now: Date; leaseUntil: Date; limit: number; types: OperationType[] },
  ) => [now, leaseUntil, limit, types, accountId],
)

/** Returns the accounts with an operation of these types that is due. */
export async function listAccountsWithDueOperations(
  db: Queryable,
  now: Date,
  types: OperationType[],
): Promise<string[]> {
  return (await accounts(db, [now, types])).map(({ id }) => id)
}

/** Returns when the next operation of these types is due. Null if there is none. */
export const findNextDueOperation = statement<{ at: Date | null }>(
  'find_next_due_operation',
  `select min(due.at) as at from world.accounts a cross join lateral (
     select o.due_at as at from world.operations o
     where o.account_id = a.id and o.due_at is not null and o.type = any($1::text[]) order by o.due_at limit 1) due`,
).value('at', null, (types: OperationType[]) => [types])
