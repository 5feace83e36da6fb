/**
 * The two writes of a creation, each collecting concurrent callers into one statement: begin takes the key and inserts the payment
 * with its first attempt; finish stores the opened order and ends the attempt's lease. A payment that is begun with its checkout in
 * hand needs no finish. Later attempts are finished here too.
 */
import { batched } from '../batch.ts'
import { writeDateTime } from '../date-time.ts'
import { type Db, statement } from '../db.ts'
import { fieldOf } from '../fields.ts'
import type { Attempt, NamedAttempt } from './attempt.ts'
import type { IdempotencyKeyRecord } from './idempotency-keys.ts'
import type { AttemptedPayment, Payment } from './payment.ts'

/** Fields of a payment that creation does not write: they have the default of their column, or follow from other fields. */
type NotGiven =
  | 'ownAttempt'
  | 'authorizedMinor'
  | 'capturedMinor'
  | 'refundedMinor'
  | 'refundReservedMinor'
  | 'fiscalStatus'
  | 'updatedAt'
  | 'merchantCancelledAt'

/** Each field of a payment that creation stores, with the type of its column. */
const PAYMENT_TYPES = {
  merchantId: 'text',
  id: 'text',
  merchantOrderId: 'text',
  singleAttempt: 'boolean',
  buyerChooses: 'boolean',
  amountMinor: 'bigint',
  currency: 'text',
  status: 'text',
  version: 'integer',
  description: 'text',
  returnUrl: 'text',
  shopUrl: 'text',
  customer: 'jsonb',
  locale: 'text',
  metadata: 'jsonb',
  productId: 'text',
  quantity: 'integer',
  periodStart: 'timestamptz',
  periodEnd: 'timestamptz',
  expiresAt: 'timestamptz',
  createdAt: 'timestamptz',
} as const satisfies Record<Exclude<keyof Payment, NotGiven>, string>

/** The same with the key and the first attempt. */
const INPUT_TYPES = {
  ...PAYMENT_TYPES,
  scope: 'text',
  key: 'text',
  fingerprint: 'text',
  attempt: 'integer',
  state: 'text',
  leaseUntil: 'timestamptz',
  attemptExpiresAt: 'timestamptz',
  provider: 'text',
  accountId: 'text',
  reference: 'text',
  providerState: 'jsonb',
  checkoutUrl: 'text',
  form: 'jsonb',
  questionDueAt: 'timestamptz',
} as const
// Not jsonb: PostgreSQL would first build it, with sorted keys, and then take it apart. That doubled the cost of the input.
const INPUT = `select * from json_to_recordset($1::json) as input(
       ${Object.entries(INPUT_TYPES)
         .map(([name, type]) => `"${name}" ${type}`)
         .join(', ')})`

/** The values of most payments. The input leaves them out, because each value costs PostgreSQL time. */
const USUAL: { [Name in keyof typeof INPUT_TYPES]?: string } = {
  singleAttempt: 'false',
  buyerChooses: 'false',
  attempt: '1',
  attemptExpiresAt: '"expiresAt"',
}
const given = (name: keyof typeof INPUT_TYPES) =>
  USUAL[name] ? `coalesce("${name}", ${USUAL[name]})` : `"${name}"`

const GIVEN = Object.keys(PAYMENT_TYPES) as (keyof typeof PAYMENT_TYPES)[]
const INSERT_FROM_INPUT = `insert into world.payments (${GIVEN.map((field) => fieldOf(field).column).join(', ')}, attempt, updated_at)
     select ${GIVEN.map(given).join(', ')}, ${given('attempt')}, "createdAt" from input`

const INSERT_ATTEMPT_FROM_INPUT = `insert into world.attempts (merchant_id, payment_id, number, provider, account_id, reference,
       state, lease_until, provider_state, checkout_url, form, opened_at, expires_at, created_at, question_due_at)
     select "merchantId", id, ${given('attempt')}, provider, "accountId", "reference",
       "state", "leaseUntil", "providerState", "checkoutUrl", "form",
       case "state" when 'open' then "createdAt" end, ${given('attemptExpiresAt')}, "createdAt", "questionDueAt" from input`

/** A payment that is created with its checkout address has already changed its status once, and its timeline shows that. */
const NOTE_FIRST_MOVE = `insert into world.payment_changes (merchant_id, payment_id, version, from_status, to_status, cause, created_at)
     select merchant_id, id, version, 'created', status, 'request', created_at from born where version > 0`

// Sorted by key, so that two processes that claim the same keys wait for each other in one order, never in a circle.
const begin = statement<{ id: string }>(
  'begin_payments',
  `with input as (${INPUT}), claimed as (
     insert into world.idempotency_keys (merchant_id, scope, key, fingerprint, payment_id, created_at)
     select "merchantId", scope, key, fingerprint, id, "createdAt" from input
     order by "merchantId", scope, key
     on conflict do nothing returning payment_id
   ), born as (
     ${INSERT_FROM_INPUT} where id = any (array(select payment_id from claimed))
     returning merchant_id, id, version, status, created_at
   ), opened as (
     ${INSERT_ATTEMPT_FROM_INPUT} where id = any (array(select payment_id from claimed))
   ), noted as (${NOTE_FIRST_MOVE})
   select id from born`,
)

// The limit cuts nothing off. It makes the planner expect few rows, so that it looks each of them up by its key.
const finish = statement<{ id: string }>(
  'finish_opening',
  `with input as (
     select * from json_to_recordset($1::json) as input(
       "merchantId" text, "paymentId" text, number integer, "leaseUntil" timestamptz, "toStatus" text, "providerState" jsonb,
       "checkoutUrl" text, "form" jsonb, "expiresAt" timestamptz, "questionDueAt" timestamptz, "questionWasDueAt" timestamptz, at timestamptz)
     limit (select json_array_length($1::json))
   ), opened as (
     update world.attempts set state = case state when 'opening' then 'open' else state end, lease_until = null,
       provider_state = coalesce(provider_state, input."providerState"), checkout_url = input."checkoutUrl",
       form = input."form", expires_at = input."expiresAt", opened_at = input.at,
       question_due_at = case question_due_at when input."questionWasDueAt" then input."questionDueAt"
         else least(question_due_at, input."questionDueAt") end
     from input where merchant_id = "merchantId" and payment_id = "paymentId" and attempts.number = input.number
       and lease_until = input."leaseUntil"
     returning payment_id
   ), moved as (
     update world.payments set status = "toStatus", version = version + 1, updated_at = input.at
     from input where merchant_id = "merchantId" and payments.id = "paymentId" and status = 'created'
       and payments.id = any (array(select payment_id from opened))
     returning merchant_id, payments.id, version, status, updated_at
   ), noted as (
     insert into world.payment_changes (merchant_id, payment_id, version, from_status, to_status, cause, created_at)
     select merchant_id, id, version, 'created', status, 'request', updated_at from moved
   )
   select id from moved`,
)

export type Claim = Pick<IdempotencyKeyRecord, 'scope' | 'key' | 'fingerprint'>

const timeOf = (at: Date | null) => (at ? writeDateTime(at) : undefined)

/**
 * Leaves out what is null, because each name costs PostgreSQL time. Names each field and writes each time as text: a copy by a loop
 * over the names, with `Date` values, takes `JSON.stringify` twice as long.
 */
function inputOf(payment: AttemptedPayment, claim?: Claim) {
  const { attempt } = payment
  return {
    merchantId: payment.merchantId,
    scope: claim?.scope,
    key: claim?.key,
    fingerprint: claim?.fingerprint,
    id: payment.id,
    merchantOrderId: payment.merchantOrderId,
    attempt: attempt.number === 1 ? undefined : attempt.number,
    singleAttempt: payment.singleAttempt || undefined,
    buyerChooses: payment.buyerChooses || undefined,
    state: attempt.state,
    leaseUntil: timeOf(attempt.leaseUntil),
    attemptExpiresAt:
      attempt.expiresAt.getTime() === payment.expiresAt.getTime()
        ? undefined
        : writeDateTime(attempt.expiresAt),
    provider: attempt.provider,
    accountId: attempt.accountId,
    reference: attempt.reference,
    providerState: attempt.providerState ?? undefined,
    checkoutUrl: attempt.checkoutUrl ?? undefined,
    form: attempt.form ?? undefined,
    amountMinor: payment.amountMinor,
    currency: payment.currency,
    status: payment.status,
    version: payment.version,
    description: payment.description ?? undefined,
    returnUrl: payment.returnUrl ?? undefined,
    shopUrl: payment.shopUrl ?? undefined,
    customer: payment.customer ?? undefined,
    locale: payment.locale ?? undefined,
    metadata: payment.metadata ?? undefined,
    productId: payment.productId ?? undefined,
    quantity: payment.quantity ?? undefined,
    periodStart: timeOf(payment.periodStart),
    periodEnd: timeOf(payment.periodEnd),
    expiresAt: writeDateTime(payment.expiresAt),
    createdAt: writeDateTime(payment.createdAt),
    questionDueAt: timeOf(attempt.questionDueAt),
  } satisfies Record<keyof typeof INPUT_TYPES, unknown>
}

/**
 * Inserts the key and the payment in one statement. Returns false and writes nothing if the key is in use.
 */
export const beginPayment: (db: Db, item: { claim: Claim; payment: AttemptedPayment }) => Promise<boolean> =
  batched(async (db, items) => {
    const rows = await begin(db, [JSON.stringify(items.map(({ claim, payment }) => inputOf(payment, claim)))])
    const begun = new Set(rows.map((row) => row.id))
    return items.map(({ payment }) => begun.has(payment.id))
  })

/** Inserts a payment whose key is held already. */
export const insertPayment = statement<{ id: string }>(
  'insert_payment',
  `with input as (${INPUT}), born as (
     ${INSERT_FROM_INPUT} returning merchant_id, id, version, status, created_at
   ), opened as (${INSERT_ATTEMPT_FROM_INPUT}), noted as (${NOTE_FIRST_MOVE})
   select id from born`,
).run((payment: AttemptedPayment) => [JSON.stringify([inputOf(payment)])])

export type Finish = NamedAttempt &
  Pick<Attempt, 'providerState' | 'checkoutUrl' | 'form' | 'expiresAt' | 'questionDueAt'> & {
    leaseUntil: Date
    /** When the next question was due while the order was being opened. If somebody has asked for an earlier one since, it stays. */
    questionWasDueAt: Date | null
    toStatus: 'pending_redirect'
    at: Date
  }

/**
 * Stores an opened order with its attempt, ends the lease, and moves a created payment on. Returns whether the payment has moved.
 * Writes nothing when somebody else has taken over the lease. The order is kept whatever the attempt's state became meanwhile.
 * Only `payments/transition.ts` calls this.
 */
export const finishOpening: (db: Db, item: Finish) => Promise<boolean> = batched(async (db, items) => {
  const rows = await finish(db, [JSON.stringify(items)])
  const moved = new Set(rows.map((row) => row.id))
  return items.map(({ paymentId }) => moved.has(paymentId))
})
