/** The payments and subscriptions about which the providers are asked after a restore. */
import type { CurrencyCode } from '../../contract/fields.ts'
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import type { Rows } from '../rows.ts'

/** The status and the sums of a payment, as the report compares them. */
export type ComparedState = Pick<
  Rows['payments'],
  'status' | 'currency' | 'authorizedMinor' | 'capturedMinor' | 'refundedMinor'
>

const FIELDS = fieldsOf('restore_checks', [
  'merchantId',
  'id',
  'kind',
  'accountId',
  'blocksOperations',
  'before',
  'after',
  'dueAt',
  'attempts',
  'problem',
])
export type CheckRecord = RecordOf<
  'restore_checks',
  typeof FIELDS,
  { before: ComparedState | null; after: ComparedState | null }
>

const COLUMNS = selected(FIELDS)

const accounts = statement<{ id: string }>(
  'list_accounts_with_restore_checks',
  `select a.id from world.accounts a where exists (
     select from world.restore_checks c where c.account_id = a.id and c.due_at <= $1 offset 0)`,
)

/** Sums in minor units, as text, because they may exceed 2^53. */
export type SumRecord = {
  currency: CurrencyCode
  payments: number
  capturedBefore: string
  capturedAfter: string
  refundedBefore: string
  refundedAfter: string
}

/** Returns the accounts that are to be asked. */
export async function listAccountsWithChecks(db: Queryable, now: Date): Promise<string[]> {
  return (await accounts(db, [now])).map(({ id }) => id)
}

/** Claims checks that are due. They are due again at `leaseUntil` unless somebody settles them. */
export const claimChecks = statement<CheckRecord>(
  'claim_restore_checks',
  `update world.restore_checks set due_at = $3, attempts = attempts + 1
   where (merchant_id, id) in (
     select merchant_id, id from world.restore_checks where account_id = $1 and due_at <= $2
     order by blocks_operations desc, due_at limit $4 for update skip locked)
   returning ${COLUMNS}`,
).all((accountId: string, { now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number }) => [
  accountId,
  now,
  leaseUntil,
  limit,
])

/** Returns when the next check is due. */
export const findNextCheck = statement<{ at: Date | null }>(
  'find_next_restore_check',
  'select min(due_at) as at from world.restore_checks where due_at is not null',
).value('at', null)

type Named = Pick<CheckRecord, 'merchantId' | 'id'>

/** The provider has said how it stands. `problem`: why it never can. Stores the state of the database as it is now. */
export const settleCheck = statement(
  'settle_restore_check',
  `update world.restore_checks c set due_at = null, problem = $3, after = (
     select jsonb_build_object('status', p.status, 'authorizedMinor', p.authorized_minor, 'capturedMinor', p.captured_minor,
       'refundedMinor', p.refunded_minor, 'currency', p.currency)
     from world.payments p where p.merchant_id = c.merchant_id and p.id = c.id)
   where merchant_id = $1 and id = $2 and due_at is not null`,
).run(({ merchantId, id }: Named, problem: string | null = null) => [merchantId, id, problem])

export const postponeCheck = statement(
  'postpone_restore_check',
  'update world.restore_checks set due_at = $3, problem = $4 where merchant_id = $1 and id = $2 and due_at is not null',
).run(({ merchantId, id }: Named, { dueAt, problem }: { dueAt: Date; problem: string | null }) => [
  merchantId,
  id,
  dueAt,
  problem,
])

/** Returns what the restored database did not know, and whom no provider could be asked about. */
export const listRestoreReport = statement<CheckRecord>(
  'list_restore_report',
  `select ${COLUMNS} from world.restore_checks
   where (after is not null and before is distinct from after) or (problem is not null and (blocks_operations or due_at is null))
   order by merchant_id, id limit $1`,
).all((limit: number) => [limit])

export const sumChecks = statement<SumRecord>(
  'sum_restore_checks',
  `select b.currency, count(*)::int as payments,
     sum(b."capturedMinor")::text as "capturedBefore", sum(a."capturedMinor")::text as "capturedAfter",
     sum(b."refundedMinor")::text as "refundedBefore", sum(a."refundedMinor")::text as "refundedAfter"
   from world.restore_checks c
     cross join lateral jsonb_to_record(c.before) as b(currency text, "capturedMinor" bigint, "refundedMinor" bigint)
     cross join lateral jsonb_to_record(coalesce(c.after, c.before)) as a("capturedMinor" bigint, "refundedMinor" bigint)
   where c.before is not null group by b.currency order by b.currency`,
).all()

/** Returns how much of the payment was returned that the restored database did not know of; null if it was not asked about. */
export const findRefundFound = statement<{ minor: number }>(
  'find_refund_found_after_restore',
  `select ((after->>'refundedMinor')::bigint - (before->>'refundedMinor')::bigint)::float8 as minor from world.restore_checks
   where merchant_id = $1 and id = $2 and after is not null`,
).value('minor', null, ({ merchantId, id }: Named) => [merchantId, id])
