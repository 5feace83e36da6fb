/** The people who may sign in to the console. */

import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import { type Page, type PageRequest, pagesOf } from '../looked.ts'

/** Amounts in minor units by currency. A currency that is missing may not be refunded at all. */
export type RefundLimits = Record<string, number>
/**
 * The most that may go back to a buyer of one payment, and of all payments in a day. `refundLimits: null`: no limit of one payment.
 * `refundLimitsDay: null`: the limit of one payment holds for the day too.
 */
export type ReturnLimits = { refundLimits: RefundLimits | null; refundLimitsDay: RefundLimits | null }
const PERSON = fieldsOf('operators', ['id', 'name', 'role'])
const USER = fieldsOf('console_users', [
  'email',
  /** Null: every merchant. */
  'merchantId',
  'refundLimits',
  'refundLimitsDay',
])
type Person = RecordOf<'operators', typeof PERSON>
export type UserRecord = Person & RecordOf<'console_users', typeof USER, ReturnLimits>

/** `email`: null for people who use the command line alone, and after the removal. */
export type ListedPerson = Person &
  Pick<UserRecord, 'merchantId'> & { email: string | null; removedAt: Date | null }

export const USER_COLUMNS = `${selected(PERSON, 'o')}, ${selected(USER, 'u')}`
export const USERS =
  'kassa.console_users u join kassa.operators o on o.id = u.operator_id and o.removed_at is null and o.waits_since is null'

const people = {
  columns: `${selected(PERSON, 'o')}, o.removed_at as "removedAt", u.email, u.merchant_id as "merchantId"`,
  from: 'kassa.operators o where true',
  alias: 'o',
  key: 'id',
  joined: 'left join kassa.console_users u on u.operator_id = o.id',
} as const
const present = pagesOf<ListedPerson>('list_present_people', {
  ...people,
  lists: (part) => `o.removed_at is null and (${part}::text is null or o.id = ${part}
    or strpos(lower(o.name), lower(${part})) > 0 or strpos(lower(u.email), lower(${part})) > 0)`,
})
const removed = pagesOf<ListedPerson>('list_removed_people', {
  ...people,
  lists: () => 'o.removed_at is not null',
})

type Values = Pick<UserRecord, 'id' | 'email' | 'merchantId' | keyof ReturnLimits>

/** Returns false if another person has the e-mail address. */
export const insertUser = statement(
  'insert_console_user',
  `insert into kassa.console_users (operator_id, email, merchant_id, refund_limits, refund_limits_day) values ($1, $2, $3, $4, $5)
   on conflict do nothing returning operator_id`,
).some((values: Values) => valuesOf(values))

/** Returns false if another person has the e-mail address. */
export const updateUser = statement(
  'update_console_user',
  `update kassa.console_users u set email = $2, merchant_id = $3, refund_limits = $4, refund_limits_day = $5 where operator_id = $1
     and not exists (select from kassa.console_users o where lower(o.email) = lower($2) and o.operator_id <> $1) returning operator_id`,
).some((values: Values) => valuesOf(values))

function valuesOf({ id, email, merchantId, refundLimits, refundLimitsDay }: Values): unknown[] {
  return [id, email, merchantId, ...limitValues({ refundLimits, refundLimitsDay })]
}

export const limitValues = ({ refundLimits, refundLimitsDay }: ReturnLimits) =>
  [refundLimits, refundLimitsDay].map((limits) => limits && JSON.stringify(limits))

/** Everything by which the person could sign in goes too. */
export const deleteUser = statement(
  'delete_console_user',
  'delete from kassa.console_users where operator_id = $1',
).run((id: string) => [id])

export const listUsers = statement<UserRecord>(
  'list_console_users',
  `select ${USER_COLUMNS} from ${USERS} order by o.id`,
).all()

/** Returns a page of the present people, the oldest first. `part`: of the name or the e-mail address; null for all. */
export async function listPresentPeople(
  db: Queryable,
  { part, ...wish }: PageRequest & { part: string | null },
): Promise<Page<ListedPerson>> {
  return present(db, wish, { values: [part] })
}

/** Returns a page of the removed people, the oldest first. */
export async function listRemovedPeople(db: Queryable, wish: PageRequest): Promise<Page<ListedPerson>> {
  return removed(db, wish)
}

export const findUserByEmail = statement<UserRecord>(
  'find_console_user_by_email',
  `select ${USER_COLUMNS} from ${USERS} where lower(u.email) = lower($1)`,
).first((email: string) => [email])

export const findUser = statement<UserRecord>(
  'find_console_user',
  `select ${USER_COLUMNS} from ${USERS} where u.operator_id = $1`,
).first((id: string) => [id])
