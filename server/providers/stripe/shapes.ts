/** What the driver reads of Stripe's objects. Stripe adds members and values at any time, so unknown ones are not an error. */
import { z } from 'zod'
import type { CheckoutRequest } from '../driver.ts'

/** A field that decides nothing about money. If the field is missing or cannot be read, the answer still counts. */
const lenient = <Shape extends z.ZodType>(shape: Shape) => shape.nullish().catch(undefined)

const Money = z.int().min(0)
const Id = z.string().min(1)
const Seconds = z.int()
const TEXT_CHARS_MAX = 200
const Metadata = z.record(z.string(), z.string()).nullish()

/** The name of our reference in the metadata of every object. */
export const REFERENCE = 'kassa_reference'
/** The name of the shop's own order number there. People look for it in Stripe's Dashboard. */
const ORDER = 'order'
/** The name of our operation in the metadata of a refund. */
export const OPERATION = 'kassa_operation'

/** What people find an order by at Stripe. It contains nothing about the buyer. */
export function labelsOf({
  reference,
  orderReference,
  description,
}: Pick<CheckoutRequest, 'reference' | 'orderReference' | 'description'>) {
  const text = description ? `${orderReference}: ${description}` : orderReference
  return {
    metadata: { [REFERENCE]: reference, [ORDER]: orderReference },
    description: [...text].slice(0, TEXT_CHARS_MAX).join(''),
  }
}

export const Refund = z.object({
  id: Id,
  amount: Money,
  status: z.string().nullable(),
  reason: z.string().nullable(),
  balance_transaction: z.unknown().optional(),
  created: Seconds,
  metadata: Metadata,
})
export type Refund = z.infer<typeof Refund>

const List = <Shape extends z.ZodType>(shape: Shape) =>
  z.object({ data: z.array(shape), has_more: z.boolean() })

export const Refunds = List(Refund)

/** What a dispute has taken from the account, as a negative amount, or given back. It is in the currency of the account's balance. */
const Movement = z.object({ amount: z.int(), currency: z.string() })

export const Dispute = z.object({
  id: Id,
  amount: Money,
  currency: z.string(),
  status: z.string(),
  reason: lenient(z.string()),
  balance_transactions: lenient(z.array(Movement)),
  evidence_details: z.object({ due_by: Seconds.nullable() }).nullish(),
})
export type Dispute = z.infer<typeof Dispute>
export const Disputes = List(Dispute)

const CardDetails = z.object({ brand: z.string().nullable(), last4: z.string().nullable() })

export const Charge = z.object({
  id: Id,
  amount: Money,
  amount_captured: Money,
  status: z.string(),
  captured: z.boolean(),
  created: Seconds,
  disputed: z.boolean(),
  balance_transaction: lenient(
    z.union([z.string(), z.object({ fee: z.int(), currency: z.string(), created: Seconds })]),
  ),
  refunds: Refunds.nullish(),
  payment_method_details: lenient(z.object({ type: z.string(), card: CardDetails.nullish() })),
  authorization_code: lenient(z.string()),
})
export type Charge = z.infer<typeof Charge>

const PaymentError = z.object({ code: z.string().nullish(), decline_code: z.string().nullish() })

export const Intent = z.object({
  id: Id,
  object: z.literal('payment_intent'),
  status: z.string(),
  amount: Money,
  amount_capturable: Money,
  amount_received: Money,
  currency: z.string(),
  metadata: Metadata,
  last_payment_error: PaymentError.nullish(),
  latest_charge: z.union([z.string(), Charge]).nullable(),
})
export type Intent = z.infer<typeof Intent>

export const Session = z.object({
  id: Id,
  object: z.literal('checkout.session'),
  status: z.string(),
  payment_status: lenient(z.string()),
  url: z.string().nullable(),
  amount_total: Money.nullable(),
  currency: z.string().nullable(),
  client_reference_id: z.string().nullish(),
  metadata: Metadata,
  expires_at: Seconds,
  payment_intent: z.union([z.string(), Intent]).nullable(),
})
export type Session = z.infer<typeof Session>

export const SavedMethod = z.object({
  id: Id,
  customer: z.union([z.string(), z.object({ id: Id })]).nullable(),
  card: z.object({ brand: z.string(), last4: z.string(), exp_month: z.int(), exp_year: z.int() }).nullish(),
})

export const SetupSession = Session.extend({
  customer: z.union([z.string(), z.object({ id: Id })]).nullable(),
  setup_intent: z
    .union([
      z.string(),
      z.object({
        id: Id,
        status: z.string(),
        payment_method: z.union([z.string(), SavedMethod]).nullable(),
        mandate: z.union([z.string(), z.object({ id: Id })]).nullish(),
      }),
    ])
    .nullable(),
})
export type SetupSession = z.infer<typeof SetupSession>

/** `inactive`: it may not be charged any more. */
export const Mandate = z.object({ id: Id, status: z.string() })

export const StripeAccount = z.object({
  id: Id,
  charges_enabled: z.boolean(),
  country: z.string().nullish(),
})

/** A page of any list in which our reference is searched. */
export const Found = List(
  z.object({
    id: Id,
    created: Seconds,
    livemode: z.boolean(),
    client_reference_id: z.string().nullish(),
    metadata: Metadata,
  }),
)

/**
 * The ids by which an order is found again: `state` of the port. `customer`: whose charge it is, as long as the charge's own id is not
 * known.
 */
export const OrderState = z.object({
  session: z.string().optional(),
  intent: z.string().optional(),
  customer: z.string().optional(),
})
export type OrderState = z.infer<typeof OrderState>

/** Returns the id of a member that may be expanded or not. */
export function idOf(of: string | { id: string }): string {
  return typeof of === 'string' ? of : of.id
}
