import { type Queryable, statement } from '../db.ts'

/** Something a provider said of a payment that cannot be true of it. It moved nothing. */
export type PaymentWarningRecord = { merchantId: string; paymentId: string; detail: string; createdAt: Date }

const insert = statement<{ detail: string }>(
  'insert_payment_warning',
  `insert into world.payment_warnings (merchant_id, payment_id, detail, created_at) values ($1, $2, $3, $4)
   on conflict do nothing returning detail`,
)
const insertAbout = statement<{ detail: string }>(
  'insert_warning_about_payment',
  `insert into world.payment_warnings (merchant_id, payment_id, detail, created_at)
   select merchant_id, id, $2, $3 from world.payments where id = $1 on conflict do nothing returning detail`,
)
const ofPayment = statement<PaymentWarningRecord>(
  'list_payment_warnings',
  `select merchant_id as "merchantId", payment_id as "paymentId", detail, created_at as "createdAt"
   from world.payment_warnings where merchant_id = $1 and payment_id = $2 order by created_at`,
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
): Promise<PaymentWarningRecord[]> {
  return ofPayment(db, [merchantId, paymentId])
}
