/** Reads, locks and changes payments, each with the attempt that counts. */
import { batched } from '../batch.ts'
import { type Db, type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import type { NamedAttempt } from './attempt.ts'
import {
  type AttemptedPayment,
  attemptedPayments,
  COLUMNS,
  type NamedPayment,
  OF_PAYMENT,
  type Payment,
} from './payment.ts'

const WITH_OWN_ATTEMPT = `world.payments p join world.attempts a on ${OF_PAYMENT} and a.number = p.attempt`

const byId = attemptedPayments(
  'find_payment',
  `select ${COLUMNS} from ${WITH_OWN_ATTEMPT} where p.merchant_id = $1 and p.id = $2`,
)
const byIds = attemptedPayments(
  'find_payments',
  `select ${COLUMNS} from unnest($1::text[], $2::text[]) as wanted (merchant_id, id)
   join world.payments p on p.merchant_id = wanted.merchant_id and p.id = wanted.id
   join world.attempts a on ${OF_PAYMENT} and a.number = p.attempt`,
)
const byIdAlone = attemptedPayments(
  'find_payment_by_id',
  `select ${COLUMNS} from ${WITH_OWN_ATTEMPT} where p.id = $1`,
)
const byAttempt = attemptedPayments(
  'find_payment_by_attempt',
  `select ${COLUMNS} from world.payments p join world.attempts a on ${OF_PAYMENT}
   where p.merchant_id = $1 and p.id = $2 and a.number = $3`,
)
// The lock and the reading are two statements: what the lock waited for is seen only by a statement that begins after it.
const lock = statement(
  'lock_payment',
  'select id from world.payments where merchant_id = $1 and id = $2 for update',
)

const update = attemptedPayments(
  'update_payment_status',
  `with p as (
     update world.payments set status = $4, version = version + 1, authorized_minor = $5, captured_minor = $6, refunded_minor = $7,
       fiscal_status = $8, updated_at = $9, attempt = $3
     where merchant_id = $1 and id = $2 returning *
   ), a as (
     update world.attempts a set question_due_at = $10, question_attempts = 0 from p
     where ${OF_PAYMENT} and a.number = $3 returning a.*
   ) select ${COLUMNS} from p join a on ${OF_PAYMENT}`,
)

/** Returns null for a payment of another merchant, as for one that does not exist. */
export async function findPayment(
  db: Queryable,
  merchantId: string,
  id: string,
): Promise<AttemptedPayment | null> {
  return (await byId(db, [merchantId, id]))[0] ?? null
}

/** As findPayment, for callers that come often: concurrent calls share one statement. */
export const findPaymentTogether: (db: Db, at: NamedPayment) => Promise<AttemptedPayment | null> = batched(
  async (db, wanted) => {
    const found = await byIds(db, [wanted.map(({ merchantId }) => merchantId), wanted.map(({ id }) => id)])
    const known = new Map(found.map((payment) => [`${payment.merchantId} ${payment.id}`, payment]))
    return wanted.map(({ merchantId, id }) => known.get(`${merchantId} ${id}`) ?? null)
  },
)

/** For the buyer's pages, where the id itself is the secret. */
export async function findPaymentById(db: Queryable, id: string): Promise<AttemptedPayment | null> {
  return (await byIdAlone(db, [id]))[0] ?? null
}

/** Returns the payment with this attempt of it. */
export async function findPaymentAttempt(
  db: Queryable,
  { merchantId, paymentId, number }: NamedAttempt,
): Promise<AttemptedPayment | null> {
  return (await byAttempt(db, [merchantId, paymentId, number]))[0] ?? null
}

/**
 * Locks the payment's row until the transaction ends, and returns the payment, with its own attempt or with this one. Every
 * decision about money and about attempts is made under this lock.
 */
export async function lockPayment(
  tx: Queryable,
  merchantId: string,
  id: string,
  attempt?: number,
): Promise<AttemptedPayment | null> {
  if ((await lock(tx, [merchantId, id])).length === 0) return null
  return attempt === undefined
    ? findPayment(tx, merchantId, id)
    : findPaymentAttempt(tx, { merchantId, paymentId: id, number: attempt })
}

type StatusUpdate = Pick<
  Payment,
  'status' | 'authorizedMinor' | 'capturedMinor' | 'refundedMinor' | 'fiscalStatus' | 'ownAttempt'
> & { at: Date; questionDueAt: Date | null }

/** Writes a decided status. `questionDueAt`: of the own attempt. Only `payments/transition.ts` calls this. */
export async function updatePaymentStatus(
  tx: Queryable,
  { merchantId, id }: NamedPayment,
  to: StatusUpdate,
): Promise<AttemptedPayment> {
  const money = [to.authorizedMinor, to.capturedMinor, to.refundedMinor]
  const rows = await update(tx, [
    merchantId,
    id,
    to.ownAttempt,
    to.status,
    ...money,
    to.fiscalStatus,
    to.at,
    to.questionDueAt,
  ])
  return rows[0] as AttemptedPayment
}

/** Returns whether one of the merchant's newest payments brings its buyer back without https. `count`: how many are looked at. */
export const hasPlainReturn = statement<{ found: boolean }>(
  'find_plain_return',
  `select exists (
     select from (select return_url from world.payments where merchant_id = $1 order by id desc limit $2) p
     where return_url ilike 'http:%') as found`,
).value('found', false, (merchantId: string, count: number) => [merchantId, count])

/** Sets so much aside for a refund, or, with a negative amount, lets go of it. @throws Error when more is set aside than is there. */
export const reserveRefund = statement(
  'reserve_payment_refund',
  `update world.payments set refund_reserved_minor = refund_reserved_minor + $3 where merchant_id = $1 and id = $2`,
).run(({ merchantId, id }: NamedPayment, amountMinor: number) => [merchantId, id, amountMinor])

const HOLDING_FIELDS = fieldsOf('payments', [
  'status',
  'amountMinor',
  'capturedMinor',
  'currency',
  'updatedAt',
])
export type HoldingPayment = RecordOf<'payments', typeof HOLDING_FIELDS>

const HOLDING_COLUMNS = selected(HOLDING_FIELDS, 'p')

/** Returns the latest other payment of the same order that has money, or may have some. Returns null if there is none. */
// The statuses are those of the index payments_holding, in its words: without that it is not used. Payments that are under way are
// found by their attempts, which have an index of their own.
export const findHoldingPayment = statement<HoldingPayment>(
  'find_payment_holding_order',
  `select ${HOLDING_COLUMNS} from world.payments p
   where merchant_id = $1 and merchant_order_id = $2 and id <> $3
     and status in ('authorized', 'paid', 'partially_refunded', 'disputed', 'status_unknown')
   union all
   select ${HOLDING_COLUMNS} from world.attempts a join world.payments p on ${OF_PAYMENT}
   where a.merchant_id = $1 and a.under_way_since is not null and p.merchant_order_id = $2 and p.id <> $3
     and p.status in ('pending_redirect', 'pending_payment', 'failed', 'cancelled', 'expired')
   order by "updatedAt" desc limit 1`,
).first(({ merchantId, merchantOrderId, id }: Pick<Payment, 'merchantId' | 'merchantOrderId' | 'id'>) => [
  merchantId,
  merchantOrderId,
  id,
])
