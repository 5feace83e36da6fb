/** PayPal's responses, as far as the driver reads them. A response that does not parse is not believed. */
import { z } from 'zod'
import { Money } from './money.ts'

/** A field that decides nothing about money. If the field is missing or cannot be read, the answer still counts. */
const lenient = <Shape extends z.ZodType>(shape: Shape) => shape.optional().catch(undefined)

const Id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)
const Link = z.object({ rel: z.string(), href: z.string() })
export const Links = z.array(Link).default([]).catch([])
const Details = lenient(z.object({ reason: z.string().optional() }))
const Processor = lenient(z.object({ response_code: z.string().optional() }))

/** PayPal adds words at any time, so an answer with an unknown one is not an error. `words.ts` says what each means. */
const Word = z.string().min(1)

export const Capture = z.object({
  id: Id,
  status: Word,
  status_details: Details,
  amount: Money,
  custom_id: lenient(z.string()),
  create_time: lenient(z.iso.datetime({ offset: true })),
  processor_response: Processor,
  seller_receivable_breakdown: lenient(z.object({ paypal_fee: Money.optional() })),
})
export type Capture = z.infer<typeof Capture>

export const Authorization = z.object({
  id: Id,
  status: Word,
  status_details: Details,
  amount: Money,
  expiration_time: lenient(z.iso.datetime({ offset: true })),
  processor_response: Processor,
})
export type Authorization = z.infer<typeof Authorization>

export const Refund = z.object({
  id: Id,
  status: Word,
  amount: lenient(Money),
  custom_id: lenient(z.string()),
  create_time: lenient(z.string()),
})

const Unit = z.object({
  custom_id: z.string(),
  amount: Money,
  payments: z
    .object({
      authorizations: z.array(Authorization).default([]),
      captures: z.array(Capture).default([]),
      refunds: z.array(Refund.extend({ amount: Money })).default([]),
    })
    .default({ authorizations: [], captures: [], refunds: [] }),
})
export type Unit = z.infer<typeof Unit>

const Source = z.object({
  paypal: z.unknown().optional(),
  venmo: z.unknown().optional(),
  card: z.object({ brand: z.string().optional(), last_digits: z.string().optional() }).optional(),
})

const OrderHead = z.object({
  id: Id,
  status: Word,
  links: Links,
})
/** PayPal's minimal representation of an order. */
export const OpenedOrder = OrderHead
export const Order = OrderHead.extend({
  intent: z.enum(['CAPTURE', 'AUTHORIZE']).optional(),
  purchase_units: z.tuple([Unit]),
  payment_source: lenient(Source),
})
export type Order = z.infer<typeof Order>

/** The response to `authorize` and `capture` of an order: its payments. */
export type FinalizedOrder = z.infer<typeof FinalizedOrder>
export const FinalizedOrder = OrderHead.extend({
  purchase_units: z.array(Unit.partial().pick({ payments: true })).optional(),
})

/** The body of every refusal. */
export const Refusal = z.object({
  name: z.string(),
  debug_id: z.string().optional(),
  details: z.array(z.object({ issue: z.string().optional() })).default([]),
  links: Links,
})

export type AccessToken = z.infer<typeof AccessToken>
export const AccessToken = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().min(0),
  /** What the app may do, separated by blanks. */
  scope: z.string().default(''),
})

const Vaulted = z.object({ paypal: z.object({}).optional() }).default({})
export const SetupToken = z.object({
  id: Id,
  status: z.string(),
  customer: z.object({ id: Id }).optional(),
  payment_source: Vaulted,
  links: Links,
})
/** PayPal documents no status of a payment token. */
export const PaymentToken = z.object({
  id: Id,
  status: lenient(z.string()),
  customer: z.object({ id: Id }).optional(),
})
export const PaymentTokens = z.object({ payment_tokens: z.array(PaymentToken).default([]) })

/** A dispute may be in any currency, also in one that no payment here can have. */
const AnyMoney = Money.extend({ currency_code: z.string() })

export const Dispute = z.object({
  dispute_id: z.string(),
  reason: lenient(z.string()),
  status: Word,
  dispute_amount: AnyMoney.optional(),
  dispute_life_cycle_stage: lenient(z.string()),
  create_time: lenient(z.string()),
  update_time: lenient(z.string()),
  seller_response_due_date: lenient(z.string()),
})
export type Dispute = z.infer<typeof Dispute>
export const Disputes = z.object({ items: z.array(Dispute).default([]) })
/** A dispute that is over. Without its outcome nobody knows who has the money. */
export const DisputeDetails = Dispute.extend({
  dispute_outcome: z.object({ outcome_code: z.string(), amount_refunded: lenient(AnyMoney) }),
})

export const Webhook = z.object({
  id: z.string(),
  url: z.string(),
  event_types: z.array(z.object({ name: z.string() })).default([]),
})
export const Verification = z.object({ verification_status: z.enum(['SUCCESS', 'FAILURE']) })

/** An event, as far as the driver reads it. */
export const WebhookEvent = z.object({
  event_type: z.string(),
  create_time: z.string().optional(),
  resource: z.looseObject({
    id: z.string().optional(),
    customer: z.object({ id: Id }).optional(),
    custom_id: z.string().optional(),
    purchase_units: z.array(z.object({ custom_id: z.string().optional() })).optional(),
    supplementary_data: z
      .object({ related_ids: z.object({ order_id: Id.optional() }).optional() })
      .optional(),
    disputed_transactions: z
      .array(z.object({ seller_transaction_id: Id.optional(), custom: z.string().optional() }))
      .optional(),
    links: Links,
  }),
})
export type WebhookEvent = z.infer<typeof WebhookEvent>
