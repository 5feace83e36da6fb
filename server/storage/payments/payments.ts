import type { CurrencyCode, Customer, Metadata, ProviderRoute } from '../../contract/fields.ts'
import type { FiscalStatus, PaymentStatus } from '../../contract/payment.ts'
import { type Queryable, statement } from '../db.ts'
import type { Language } from '../merchants/branding.ts'
import type { AttemptState } from './attempt-state.ts'

/**
 * A payment with one of its attempts: the payment's own, unless a caller asks for another one. Amounts in minor units; they are
 * the payment's.
 */
export type PaymentRecord = {
  merchantId: string
  id: string
  merchantOrderId: string
  /** The number of the attempt that holds the payment's money, else of the latest one. */
  ownAttempt: number
  /** The number of the attempt whose provider fields follow. */
  attempt: number
  attemptState: AttemptState
  /** When its order was first to be opened. */
  attemptBegunAt: Date
  /** Until then somebody opens its order at the provider, and nobody else may. Null for an order that a creation opens. */
  attemptLeaseUntil: Date | null
  /** Until then an order may still appear, although the provider says that there is none. */
  attemptUnsureUntil: Date | null
  /** When its order at the provider ends. */
  attemptExpiresAt: Date
  /** What people may know of it; null before the provider has said anything. */
  attemptFacts: unknown
  /** While the provider works on the payment of a buyer who has finished (a review, a bank debit): since when we know it. */
  underWaySince: Date | null
  /** When money of this attempt that the payment does not need was sent back; null before that. */
  returnedAt: Date | null
  /** True for a charge of a saved method: a decline ends the payment. */
  singleAttempt: boolean
  /** True where the buyer chooses between the merchant's routes before each attempt. */
  buyerChooses: boolean
  provider: ProviderRoute
  /** The provider account that the money of this attempt goes to. It never changes. */
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
  /** What the buyer disputes of this attempt's money now. */
  disputedMinor: number
  /** What of this attempt's refunded sum a buyer has won in disputes. */
  disputeLostMinor: number
  /** What refunds that are not decided yet may still take; it counts as spent. */
  refundReservedMinor: number
  status: PaymentStatus
  fiscalStatus: FiscalStatus
  /** Rises by one with every change of status. */
  version: number
  description: string | null
  returnUrl: string | null
  /** Where *Back to the shop* leads, for payments of buttons and pay pages. Null: see `returnUrl`. */
  shopUrl: string | null
  customer: Customer | null
  /** The language in which the buyer last went on to pay; null while no buyer was seen. */
  locale: Language | null
  metadata: Metadata | null
  expiresAt: Date
  createdAt: Date
  updatedAt: Date
  /** When the provider is next asked about the attempt; null when it is not. */
  questionDueAt: Date | null
  questionAttempts: number
  askedAt: Date | null
}

/** `p`: the payment. `a`: one of its attempts. */
export const COLUMNS = `p.merchant_id as "merchantId", p.id, p.merchant_order_id as "merchantOrderId", p.attempt as "ownAttempt",
  a.number as attempt, a.state as "attemptState", a.lease_until as "attemptLeaseUntil", a.unsure_until as "attemptUnsureUntil", a.created_at as "attemptBegunAt",
  p.single_attempt as "singleAttempt", p.buyer_chooses as "buyerChooses", a.returned_at as "returnedAt", a.expires_at as "attemptExpiresAt", a.facts as "attemptFacts",
  a.under_way_since as "underWaySince", a.provider,
  a.account_id as "accountId", a.reference as "providerReference", a.provider_state as "providerState",
  a.checkout_url as "providerCheckoutUrl", a.form as "providerForm", p.amount_minor as "amountMinor", p.currency,
  p.authorized_minor as "authorizedMinor", p.captured_minor as "capturedMinor", p.refunded_minor as "refundedMinor",
  a.disputed_minor as "disputedMinor", a.dispute_lost_minor as "disputeLostMinor", p.refund_reserved_minor as "refundReservedMinor",
  p.status, p.fiscal_status as "fiscalStatus", p.version, p.description, p.return_url as "returnUrl", p.shop_url as "shopUrl", p.customer, p.locale, p.metadata,
  p.expires_at as "expiresAt", p.created_at as "createdAt", p.updated_at as "updatedAt",
  a.question_due_at as "questionDueAt", a.question_attempts as "questionAttempts", a.asked_at as "askedAt"`
export const OF_PAYMENT = 'a.merchant_id = p.merchant_id and a.payment_id = p.id'
const WITH_OWN_ATTEMPT = `world.payments p join world.attempts a on ${OF_PAYMENT} and a.number = p.attempt`

const byId = statement<PaymentRecord>(
  'find_payment',
  `select ${COLUMNS} from ${WITH_OWN_ATTEMPT} where p.merchant_id = $1 and p.id = $2`,
)
const byIdAlone = statement<PaymentRecord>(
  'find_payment_by_id',
  `select ${COLUMNS} from ${WITH_OWN_ATTEMPT} where p.id = $1`,
)
const byAttempt = statement<PaymentRecord>(
  'find_payment_by_attempt',
  `select ${COLUMNS} from world.payments p join world.attempts a on ${OF_PAYMENT}
   where p.merchant_id = $1 and p.id = $2 and a.number = $3`,
)
// The lock and the reading are two statements: what the lock waited for is seen only by a statement that begins after it.
const lock = statement(
  'lock_payment',
  'select id from world.payments where merchant_id = $1 and id = $2 for update',
)
const page = statement<PaymentRecord>(
  'list_payments',
  `select ${COLUMNS} from ${WITH_OWN_ATTEMPT} where ($1::text is null or p.merchant_id = $1) and ($2::text is null or p.id < $2)
     and ($4::text is null or p.status = $4) and ($5::text is null or p.merchant_order_id = $5)
     and (not $6 or exists (
       select from world.payment_warnings w where w.merchant_id = p.merchant_id and w.payment_id = p.id))
   order by p.id desc limit $3`,
)
const findPlainReturn = statement<{ found: boolean }>(
  'find_plain_return',
  `select exists (
     select from (select return_url from world.payments where merchant_id = $1 order by id desc limit $2) p
     where return_url ilike 'http:%') as found`,
)
const update = statement<PaymentRecord>(
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
const reserve = statement(
  'reserve_payment_refund',
  `update world.payments set refund_reserved_minor = refund_reserved_minor + $3 where merchant_id = $1 and id = $2`,
)

/** Returns null for a payment of another merchant, as for one that does not exist. */
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

/** Returns the payment with this attempt of it. */
export async function findPaymentAttempt(
  db: Queryable,
  { merchantId, id, attempt }: Pick<PaymentRecord, 'merchantId' | 'id' | 'attempt'>,
): Promise<PaymentRecord | null> {
  return (await byAttempt(db, [merchantId, id, attempt]))[0] ?? null
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
): Promise<PaymentRecord | null> {
  if ((await lock(tx, [merchantId, id])).length === 0) return null
  return attempt === undefined
    ? findPayment(tx, merchantId, id)
    : findPaymentAttempt(tx, { merchantId, id, attempt })
}

/** Newest first; `after` is the last id of the page before. */
export async function listPayments(
  db: Queryable,
  {
    merchantId = null,
    after = null,
    status = null,
    merchantOrderId = null,
    isWarned = false,
    limit,
  }: {
    merchantId?: string | null
    after?: string | null
    status?: PaymentStatus | null
    merchantOrderId?: string | null
    /** Only payments with a warning. */
    isWarned?: boolean
    limit: number
  },
): Promise<PaymentRecord[]> {
  return page(db, [merchantId, after, limit, status, merchantOrderId, isWarned])
}

export type StatusUpdate = Pick<
  PaymentRecord,
  'status' | 'authorizedMinor' | 'capturedMinor' | 'refundedMinor' | 'fiscalStatus' | 'attempt'
> & { at: Date; questionDueAt: Date | null }

/** Writes a decided status. `attempt`: the payment's own attempt from now on, with its next question. Only `payments/transition.ts` calls this. */
export async function updatePaymentStatus(
  tx: Queryable,
  { merchantId, id }: Pick<PaymentRecord, 'merchantId' | 'id'>,
  to: StatusUpdate,
): Promise<PaymentRecord> {
  const money = [to.authorizedMinor, to.capturedMinor, to.refundedMinor]
  const rows = await update(tx, [
    merchantId,
    id,
    to.attempt,
    to.status,
    ...money,
    to.fiscalStatus,
    to.at,
    to.questionDueAt,
  ])
  return rows[0] as PaymentRecord
}

/** Returns whether one of the merchant's newest payments brings its buyer back without https. `count`: how many are looked at. */
export async function hasPlainReturn(db: Queryable, merchantId: string, count: number): Promise<boolean> {
  return (await findPlainReturn(db, [merchantId, count]))[0]?.found ?? false
}

/** Sets so much aside for a refund, or, with a negative amount, lets go of it. @throws Error when more is set aside than is there. */
export async function reserveRefund(
  tx: Queryable,
  { merchantId, id }: Pick<PaymentRecord, 'merchantId' | 'id'>,
  amountMinor: number,
): Promise<void> {
  await reserve(tx, [merchantId, id, amountMinor])
}
