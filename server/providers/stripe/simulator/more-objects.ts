/** The rest of Stripe's objects when they are new. */
import type Stripe from 'stripe'
import { type Books, secondsOf } from './books.ts'
import type { TestCard } from './cards.ts'

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
  const id = books.nextId('seti')
  return {
    id,
    object: 'setup_intent',
    allowed_payment_method_types: ['card'],
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    client_secret: `${id}_secret_simulated`,
    created: secondsOf(books.now()),
    customer: null,
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    managed_payments: null,
    mandate: null,
    metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: 'requires_payment_method',
    usage: 'off_session',
  }
}

export function newMethod(books: Books, { brand, last4 }: TestCard, customer: string): Stripe.PaymentMethod {
  return {
    id: books.nextId('pm'),
    object: 'payment_method',
    allow_redisplay: 'limited',
    billing_details: {
      address: { city: null, country: 'AM', line1: null, line2: null, postal_code: null, state: null },
      email: 'planted.buyer@example.com',
      name: 'Planted Buyer',
      phone: null,
      tax_id: null,
    },
    card: {
      brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: brand,
      exp_month: 12,
      exp_year: 2034,
      fingerprint: 'simulated',
      funding: 'credit',
      generated_from: null,
      last4,
      networks: { available: [brand], preferred: null },
      regulated_status: null,
      three_d_secure_usage: { supported: true },
      wallet: null,
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
