import { type Queryable, statement } from '../db.ts'

/** Something a provider said of a payment that cannot be true of it. It moved nothing. */
export type PaymentWarningRecord = { merchantId: string; paymentId: string; detail: string; createdAt: Date }
/** A person has looked into it. */
export type Settling = { settledAt: Date | null; settledBy: string | null; settledWhy: string | null }

const insert = statement<{ detail: string }>(
  'insert_payment_warning',
  `insert into world.payment_warnings (merchant_id, payment_id, detail, created_at, amount_minor)
   values ($1, $2, $3, $4, (select amount_minor from world.payments where merchant_id = $1 and id = $2))
   on conflict do nothing returning detail`,
)
const insertAbout = statement<{ detail: string }>(
  'insert_warning_about_payment',
  `insert into world.payment_warnings (merchant_id, payment_id, detail, created_at, amount_minor)
   select merchant_id, id, $2, $3, amount_minor from world.payments where id = $1 on conflict do nothing returning detail`,
)
const ofPayment = statement<PaymentWarningRecord & Settling>(
  'list_payment_warnings',
  `select merchant_id as "merchantId", payment_id as "paymentId", detail, created_at as "createdAt",
     settled_at as "settledAt", settled_by as "settledBy", settled_why as "settledWhy"
   from world.payment_warnings where merchant_id = $1 and payment_id = $2 order by created_at`,
)
const settle = statement<{ detail: string }>(
  'settle_payment_warnings',
  `update world.payment_warnings w set settled_at = $2, settled_by = $3, settled_why = $4 from world.payments p
   where p.id = $1 and w.merchant_id = p.merchant_id and w.payment_id = p.id and w.settled_at is null
     and ($5::timestamptz is null or w.created_at <= $5) returning w.detail`,
)

/** Returns false if the same warning is stored already. */
export async function insertPaymentWarning(db: Queryable, warning: PaymentWarningRecord): Promise<boolean> {
  const { merchantId, paymentId, detail, createdAt } = warning
  return (await insert(db, [merchantId, paymentId, detail, createdAt])).length > 0
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
