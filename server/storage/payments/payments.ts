import type { CurrencyCode, Customer, Metadata, ProviderRoute } from '../../contract/fields.ts'
import type { FiscalStatus, PaymentStatus } from '../../contract/payment.ts'
import { type Queryable, statement } from '../db.ts'

/** One attempt to be paid, as stored. Amounts in minor units. */
export type PaymentRecord = {
  merchantId: string
  id: string
  merchantOrderId: string
  provider: ProviderRoute
  /** The provider account that the money goes to. It never changes. */
  accountId: string
  /** Our own reference at the provider. */
  providerReference: string
  /** The driver's own ids; nobody else reads them. */
  providerState: unknown
  providerCheckoutUrl: string | null
  /** Where the provider wants a form posted instead of a link followed. */
  providerForm: { action: string; fields: Record<string, string> } | null
  amountMinor: number
  currency: CurrencyCode
  authorizedMinor: number
  capturedMinor: number
  refundedMinor: number
  /** What refunds that are not decided yet may still take; it counts as spent. */
  refundReservedMinor: number
  status: PaymentStatus
  fiscalStatus: FiscalStatus
  /** Rises by one with every change of status. */
  version: number
  description: string | null
  returnUrl: string | null
  customer: Customer | null
  metadata: Metadata | null
  expiresAt: Date
  createdAt: Date
  updatedAt: Date
  /** When the provider is next to be asked; null when it is not. */
  questionDueAt: Date | null
  questionAttempts: number
  askedAt: Date | null
}

const COLUMNS = `merchant_id as "merchantId", id, merchant_order_id as "merchantOrderId", provider,
  account_id as "accountId",  provider_reference as "providerReference", provider_state as "providerState",
  provider_checkout_url as "providerCheckoutUrl", provider_form as "providerForm", amount_minor as "amountMinor", currency,
  authorized_minor as "authorizedMinor", captured_minor as "capturedMinor", refunded_minor as "refundedMinor",
  refund_reserved_minor as "refundReservedMinor",
  status, fiscal_status as "fiscalStatus", version, description, return_url as "returnUrl", customer, metadata,
  expires_at as "expiresAt", created_at as "createdAt", updated_at as "updatedAt",
  question_due_at as "questionDueAt", question_attempts as "questionAttempts", asked_at as "askedAt"`

const byId = statement<PaymentRecord>(
  'find_payment',
  `select ${COLUMNS} from world.payments where merchant_id = $1 and id = $2`,
)
const byIdAlone = statement<PaymentRecord>(
  'find_payment_by_id',
  `select ${COLUMNS} from world.payments where id = $1`,
)
const lock = statement<PaymentRecord>(
  'lock_payment',
  `select ${COLUMNS} from world.payments where merchant_id = $1 and id = $2 for update`,
)
const page = statement<PaymentRecord>(
  'list_payments',
  `select ${COLUMNS} from world.payments where ($1::text is null or merchant_id = $1) and ($2::text is null or id < $2)
     and ($4::text is null or status = $4) and ($5::text is null or merchant_order_id = $5)
   order by id desc limit $3`,
)
const update = statement<PaymentRecord>(
  'update_payment_status',
  `update world.payments set status = $3, version = version + 1, authorized_minor = $4, captured_minor = $5, refunded_minor = $6,
     fiscal_status = $7, updated_at = $8, question_due_at = $9, question_attempts = 0
   where merchant_id = $1 and id = $2 returning ${COLUMNS}`,
)
const reserve = statement(
  'reserve_payment_refund',
  `update world.payments set refund_reserved_minor = refund_reserved_minor + $3 where merchant_id = $1 and id = $2`,
)
const claimDue = statement<PaymentRecord>(
  'claim_due_payments',
  `update world.payments set question_attempts = question_attempts + 1, question_due_at = $3
   where (merchant_id, id) in (
     select merchant_id, id from world.payments where account_id = $1 and question_due_at <= $2
     order by question_due_at limit $4 for update skip locked)
   returning ${COLUMNS}`,
)
const reschedule = statement(
  'reschedule_payment_sync',
  'update world.payments set question_due_at = $3 where merchant_id = $1 and id = $2 and question_due_at is not null',
)
const touch = statement<{ id: string }>(
  'claim_payment_question',
  `update world.payments set asked_at = $3
   where merchant_id = $1 and id = $2 and (asked_at is null or asked_at <= $4) returning id`,
)

/** Answers null for a payment of another merchant, as for one that does not exist. */
export async function findPayment(
  db: Queryable,
  merchantId: string,
  id: string,
): Promise<PaymentRecord | null> {
  return (await byId(db, [merchantId, id]))[0] ?? null
}

/** For the buyer's pages, where the id itself is the secret. */
export async function findPaymentById(db: Queryable, id: string): Promise<PaymentRecord | null> {
  return (await byIdAlone(db, [id]))[0] ?? null
}

/** Reads the payment and holds its row until the transaction ends: every money decision is made under this lock. */
export async function lockPayment(
  tx: Queryable,
  merchantId: string,
  id: string,
): Promise<PaymentRecord | null> {
  return (await lock(tx, [merchantId, id]))[0] ?? null
}

/** Newest first; `after` is the last id of the page before. */
export async function listPayments(
  db: Queryable,
  {
    merchantId = null,
    after = null,
    status = null,
    merchantOrderId = null,
    limit,
  }: {
    merchantId?: string | null
    after?: string | null
    status?: PaymentStatus | null
    merchantOrderId?: string | null
    limit: number
  },
): Promise<PaymentRecord[]> {
  return page(db, [merchantId, after, limit, status, merchantOrderId])
}

export type StatusUpdate = Pick<
  PaymentRecord,
  'status' | 'authorizedMinor' | 'capturedMinor' | 'refundedMinor' | 'fiscalStatus'
> & { at: Date; questionDueAt: Date | null }

/** Writes a decided status. Only `payments/transition.ts` calls this. */
export async function updatePaymentStatus(
  tx: Queryable,
  { merchantId, id }: Pick<PaymentRecord, 'merchantId' | 'id'>,
  to: StatusUpdate,
): Promise<PaymentRecord> {
  const money = [to.authorizedMinor, to.capturedMinor, to.refundedMinor]
  const rows = await update(tx, [
    merchantId,
    id,
    to.status,
    ...money,
    to.fiscalStatus,
    to.at,
    to.questionDueAt,
  ])
  return rows[0] as PaymentRecord
}

/**
 * Claims up to `limit` payments whose provider is to be asked with the credentials of this account. They are due again at
 * `leaseUntil` unless somebody reschedules them.
 */
export async function claimDuePayments(
  db: Queryable,
  accountId: string,
  { now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number },
): Promise<PaymentRecord[]> {
  return claimDue(db, [accountId, now, leaseUntil, limit])
}

export async function updateQuestionDue(
  db: Queryable,
  { merchantId, id }: Pick<PaymentRecord, 'merchantId' | 'id'>,
  dueAt: Date | null,
): Promise<void> {
  await reschedule(db, [merchantId, id, dueAt])
}

/** Answers true for one caller in each interval: that one may ask the provider now. */
export async function claimProviderQuestion(
  db: Queryable,
  { merchantId, id }: Pick<PaymentRecord, 'merchantId' | 'id'>,
  now: Date,
  unlessAskedSince: Date,
): Promise<boolean> {
  return (await touch(db, [merchantId, id, now, unlessAskedSince])).length > 0
}

/** Sets so much aside for a refund, or, with a negative amount, lets go of it. @throws Error when more is set aside than is there. */
export async function reserveRefund(
  tx: Queryable,
  { merchantId, id }: Pick<PaymentRecord, 'merchantId' | 'id'>,
  amountMinor: number,
): Promise<void> {
  await reserve(tx, [merchantId, id, amountMinor])
}
