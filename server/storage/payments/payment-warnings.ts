/**
 * The warnings of payments, which a person has to look at.
 * Rule: a warning that each look-up would repeat is stored once, so a person settles it once for all. A warning about one event, such as
 * recorded money or a changed status, is stored again even if a person has settled the same text before.
 */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

const FIELDS = fieldsOf('payment_warnings', ['merchantId', 'paymentId', 'detail', 'createdAt'])
/** Something a provider reported about a payment that cannot be true of it. It moved nothing. */
export type PaymentWarningRecord = RecordOf<'payment_warnings', typeof FIELDS>
const SETTLING = fieldsOf('payment_warnings', ['settledAt', 'settledBy', 'settledWhy'])
/** A person has looked into it. */
export type Settling = RecordOf<'payment_warnings', typeof SETTLING>

const insert = statement<{ detail: string }>(
  'insert_payment_warning',
  `insert into world.payment_warnings (merchant_id, payment_id, detail, created_at, amount_minor)
   values ($1, $2, $3, $4, (select amount_minor from world.payments where merchant_id = $1 and id = $2))
   on conflict do nothing returning detail`,
)
// A later one has the same words with its number, because the earlier one stays with who settled it and why.
const insertNew = statement<{ detail: string }>(
  'insert_new_payment_warning',
  `insert into world.payment_warnings (merchant_id, payment_id, detail, created_at, amount_minor)
   select $1, $2, $3::text || case when count(*) > 0 then ' (again: ' || count(*) + 1 || ')' else '' end, $4::timestamptz,
     (select amount_minor from world.payments where merchant_id = $1 and id = $2)
   from world.payment_warnings
   where merchant_id = $1 and payment_id = $2 and (detail = $3 or starts_with(detail, $3 || ' (again: '))
   having count(*) filter (where settled_at is null) = 0
   on conflict do nothing returning detail`,
)
const insertAbout = statement<{ detail: string }>(
  'insert_warning_about_payment',
  `insert into world.payment_warnings (merchant_id, payment_id, detail, created_at, amount_minor)
   select merchant_id, id, $2, $3, amount_minor from world.payments where id = $1 on conflict do nothing returning detail`,
)
const ofPayment = statement<PaymentWarningRecord & Settling>(
  'list_payment_warnings',
  `select ${selected([...FIELDS, ...SETTLING])}
   from world.payment_warnings where merchant_id = $1 and payment_id = $2 order by created_at`,
)
const settle = statement<{ detail: string }>(
  'settle_payment_warnings',
  `update world.payment_warnings w set settled_at = $2, settled_by = $3, settled_why = $4 from world.payments p
   where p.id = $1 and w.merchant_id = p.merchant_id and w.payment_id = p.id and w.settled_at is null
     and ($5::timestamptz is null or w.created_at <= $5) returning w.detail`,
)

/** For what look-ups say again and again. Returns false if the same warning is stored already, settled or not. */
export async function insertPaymentWarning(db: Queryable, warning: PaymentWarningRecord): Promise<boolean> {
  const { merchantId, paymentId, detail, createdAt } = warning
  return (await insert(db, [merchantId, paymentId, detail, createdAt])).length > 0
}

/** For what happens once and is stored with it. Does nothing while the same warning waits for a person. */
export async function insertNewWarning(db: Queryable, warning: PaymentWarningRecord): Promise<void> {
  const { merchantId, paymentId, detail, createdAt } = warning
  await insertNew(db, [merchantId, paymentId, detail, createdAt])
}

/** As insertPaymentWarning, for callers that know only an id. Does nothing if it is not the id of a payment. */
export async function insertWarningAbout(
  db: Queryable,
  id: string,
  { detail, createdAt }: Pick<PaymentWarningRecord, 'detail' | 'createdAt'>,
): Promise<void> {
  await insertAbout(db, [id, detail, createdAt])
}

export async function listPaymentWarnings(
  db: Queryable,
  merchantId: string,
  paymentId: string,
): Promise<(PaymentWarningRecord & Settling)[]> {
  return ofPayment(db, [merchantId, paymentId])
}

/** Settles the open warnings of a payment, or those until a time. Returns what they said. */
export async function settlePaymentWarnings(
  db: Queryable,
  paymentId: string,
  { at, by, why, until }: { at: Date; by: string; why: string; until: Date | null },
): Promise<string[]> {
  return (await settle(db, [paymentId, at, by, why, until])).map(({ detail }) => detail)
}

/** Settles what a provider could not say about a payment, because it can now. */
export const endDoubts = statement(
  'end_payment_doubts',
  `update world.payment_warnings set settled_at = $4, settled_by = 'the service', settled_why = 'the provider answers about the payment again'
   where merchant_id = $1 and payment_id = $2 and detail = any ($3::text[]) and settled_at is null`,
).run(
  (
    { merchantId, id }: { merchantId: string; id: string },
    { details, at }: { details: readonly string[]; at: Date },
  ) => [merchantId, id, details, at],
)

/** Opens a warning again that only the service has settled. Returns false if a person has, or if it is open. */
export const reopenDoubt = statement<{ detail: string }>(
  'reopen_payment_doubt',
  `update world.payment_warnings set settled_at = null, settled_by = null, settled_why = null
   where merchant_id = $1 and payment_id = $2 and detail = $3 and settled_by = 'the service' returning detail`,
).some(({ merchantId, paymentId, detail }: PaymentWarningRecord) => [merchantId, paymentId, detail])

/** Whether a payment with an order at this account has one of these warnings, and nobody has settled it. */
export const hasOpenDoubts = statement<{ isDoubted: boolean }>(
  'find_open_doubts',
  `select exists (select from world.payment_warnings w join world.attempts a on a.merchant_id = w.merchant_id and a.payment_id = w.payment_id
     where w.settled_at is null and w.detail = any ($2::text[]) and a.account_id = $1) as "isDoubted"`,
).value('isDoubted', false, (accountId: string, details: readonly string[]) => [accountId, details])

/** Settles one warning, and the later ones with the same words, because what it told of was withdrawn. */
export const settleWarning = statement(
  'settle_payment_warning',
  `update world.payment_warnings set settled_at = $4, settled_why = 'the statement was withdrawn'
   where merchant_id = $1 and payment_id = $2 and settled_at is null and (detail = $3 or starts_with(detail, $3 || ' (again: '))`,
).run(
  ({
    merchantId,
    paymentId,
    detail,
    at,
  }: {
    merchantId: string
    paymentId: string
    detail: string
    at: Date
  }) => [merchantId, paymentId, detail, at],
)
