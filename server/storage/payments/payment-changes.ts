import type { PaymentStatus } from '../../contract/payment.ts'
import { statement } from '../db.ts'

export const CAUSES = ['request', 'provider', 'operation', 'expiry', 'operator'] as const
/** Who moved a status. */
export type Cause = (typeof CAUSES)[number]

/** One line of a payment's timeline. */
export type PaymentChangeRecord = {
  merchantId: string
  paymentId: string
  version: number
  fromStatus: PaymentStatus
  toStatus: PaymentStatus
  cause: Cause
  detail: string | null
  /** The person who decided, where one did. */
  actor: string | null
  createdAt: Date
}

export const insertPaymentChange = statement(
  'insert_payment_change',
  `insert into world.payment_changes (merchant_id, payment_id, version, from_status, to_status, cause, detail, actor,
     created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
).run((record: PaymentChangeRecord) => {
  const { merchantId, paymentId, version, fromStatus, toStatus, cause, detail, actor, createdAt } = record
  return [merchantId, paymentId, version, fromStatus, toStatus, cause, detail, actor, createdAt]
})

export const listPaymentChanges = statement<PaymentChangeRecord>(
  'list_payment_changes',
  `select merchant_id as "merchantId", payment_id as "paymentId", version, from_status as "fromStatus",
     to_status as "toStatus", cause, detail, actor, created_at as "createdAt"
   from world.payment_changes where merchant_id = $1 and payment_id = $2 order by version`,
).all((merchantId: string, paymentId: string) => [merchantId, paymentId])

/** How often a payment has changed into one of these statuses. */
export const countPaymentChangesTo = statement<{ count: number }>(
  'count_payment_changes_to',
  `select count(*)::int as count from world.payment_changes
   where merchant_id = $1 and payment_id = $2 and to_status = any($3)`,
).value(
  'count',
  0,
  ({ merchantId, id }: { merchantId: string; id: string }, statuses: readonly PaymentStatus[]) => [
    merchantId,
    id,
    [...statuses],
  ],
)
