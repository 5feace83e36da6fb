/** More new objects of Stripe. */
import type Stripe from 'stripe'
import { type Books, secondsOf } from './books.ts'
import type { TestCard } from './cards.ts'
import { BUYER, cardParts, intentParts } from './objects.ts'

export function newRefund(
  books: Books,
  charge: Stripe.Charge,
  changes: Partial<Stripe.Refund> & Pick<Stripe.Refund, 'amount'>,
): Stripe.Refund {
  return {
    id: books.nextId('re'),
    object: 'refund',
    balance_transaction: null,
    charge: charge.id,
    created: secondsOf(books.now()),
    currency: charge.currency,
    customer: null,
    customer_account: null,
    destination_details: { type: 'card', card: { type: 'refund' } },
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
    ...changes,
  }
}

export function newBooking(
  books: Books,
  source: { id: string; amount: number; currency: string },
  fee: number,
): Stripe.BalanceTransaction {
  return {
    id: books.nextId('txn'),
    object: 'balance_transaction',
    amount: source.amount,
    available_on: secondsOf(books.now()),
    balance_type: 'payments',
    created: secondsOf(books.now()),
    currency: source.currency,
    description: null,
    exchange_rate: null,
    fee,
    fee_details: [],
    net: source.amount - fee,
    reporting_category: 'charge',
    source: source.id,
    status: 'available',
    type: 'charge',
  }
}

export function newSetup(books: Books, metadata: Record<string, string>): Stripe.SetupIntent {
  return {
    ...intentParts(books, 'seti', metadata),
    object: 'setup_intent',
    allowed_payment_method_types: ['card'],
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    mandate: null,
    single_use_mandate: null,
    usage: 'off_session',
  }
}

export function newMethod(books: Books, card: TestCard, customer: string): Stripe.PaymentMethod {
  return {
    id: books.nextId('pm'),
    object: 'payment_method',
    allow_redisplay: 'limited',
    billing_details: BUYER,
    card: {
      ...cardParts(card),
      display_brand: card.brand,
      generated_from: null,
      networks: { available: [card.brand], preferred: null },
      three_d_secure_usage: { supported: true },
    },
    created: secondsOf(books.now()),
    customer,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  }
}

export function newDispute(
  books: Books,
  charge: Stripe.Charge,
  status: Stripe.Dispute.Status,
): Stripe.Dispute {
  const evidence = Object.fromEntries(EVIDENCE.map((name) => [name, null])) as Record<
    (typeof EVIDENCE)[number],
    null
  >
  return {
    id: books.nextId('dp'),
    object: 'dispute',
    amount: charge.amount_captured,
    balance_transactions: [],
    charge: charge.id,
    created: secondsOf(books.now()),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: { ...evidence, enhanced_evidence: {} },
    evidence_details: {
      due_by: secondsOf(books.now()) + 7 * 86_400,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method_details: {
      type: 'card',
      card: {
        brand: charge.payment_method_details?.card?.brand ?? 'visa',
        case_type: 'chargeback',
        network: 'visa',
        network_reason_code: '10.4',
      },
    },
    reason: 'fraudulent',
    status,
  }
}

const EVIDENCE = [
  'access_activity_log',
  'billing_address',
  'cancellation_policy',
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'customer_communication',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
  'customer_signature',
  'duplicate_charge_documentation',
  'duplicate_charge_explanation',
  'duplicate_charge_id',
  'product_description',
  'receipt',
  'refund_policy',
  'refund_policy_disclosure',
  'refund_refusal_explanation',
  'service_date',
  'service_documentation',
  'shipping_address',
  'shipping_carrier',
  'shipping_date',
  'shipping_documentation',
  'shipping_tracking_number',
  'uncategorized_file',
  'uncategorized_text',
] as const
