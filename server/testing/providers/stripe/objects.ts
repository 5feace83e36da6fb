/** New objects of Stripe. Their types are the library's declarations, so a missing member does not compile. */
import type Stripe from 'stripe'
import { type Books, secondsOf } from './books.ts'
import { chargedAccount, type TestCard } from './cards.ts'

export type Order = { amount: number; currency: string; metadata: Record<string, string> }

/** The common members of a payment intent and a setup intent. */
export function intentParts(books: Books, prefix: 'pi' | 'seti', metadata: Record<string, string>) {
  const id = books.nextId(prefix)
  return {
    id,
    client_secret: `${id}_secret_simulated`,
    created: secondsOf(books.now()),
    metadata,
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    customer: null,
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    livemode: false,
    managed_payments: null,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card'],
    status: 'requires_payment_method' as const,
  }
}

export function newIntent(
  books: Books,
  { amount, currency, metadata }: Order,
  changes: Partial<Stripe.PaymentIntent>,
): Stripe.PaymentIntent {
  return {
    ...intentParts(books, 'pi', metadata),
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    application_fee_amount: null,
    canceled_at: null,
    capture_method: 'automatic',
    confirmation_method: 'automatic',
    currency,
    last_payment_error: null,
    latest_charge: null,
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    transfer_data: null,
    transfer_group: null,
    ...changes,
  }
}

/** What this simulator does not offer in a session, and what a later step of a checkout fills in. */
const EMPTY_SESSION = {
  after_expiration: null,
  allow_promotion_codes: null,
  allowed_payment_method_types: null,
  amount_subtotal: null,
  amount_total: null,
  billing_address_collection: null,
  cancel_url: null,
  client_reference_id: null,
  client_secret: null,
  collected_information: null,
  consent: null,
  consent_collection: null,
  currency: null,
  currency_conversion: null,
  customer: null,
  customer_account: null,
  customer_details: null,
  customer_email: null,
  discounts: null,
  integration_identifier: null,
  invoice: null,
  invoice_creation: null,
  locale: null,
  managed_payments: null,
  origin_context: null,
  payment_intent: null,
  payment_link: null,
  payment_method_configuration_details: null,
  permissions: null,
  recovered_from: null,
  saved_payment_method_options: null,
  setup_intent: null,
  shipping_address_collection: null,
  shipping_cost: null,
  submit_type: null,
  subscription: null,
  success_url: null,
  wallet_options: null,
} satisfies Partial<Stripe.Checkout.Session>

export function newSession(
  books: Books,
  changes: Partial<Stripe.Checkout.Session> & Pick<Stripe.Checkout.Session, 'mode' | 'expires_at'>,
): Stripe.Checkout.Session {
  const id = books.nextId('cs_test')
  return {
    ...EMPTY_SESSION,
    id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    created: secondsOf(books.now()),
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer_creation: 'if_required',
    livemode: false,
    metadata: {},
    payment_method_collection: 'if_required',
    payment_method_options: {},
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    phone_number_collection: { enabled: false },
    shipping_options: [],
    status: 'open',
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: `${books.origin}/c/pay/${id}`,
    ...changes,
  }
}

/** Planted data: tests check that it is nowhere outside Stripe. */
export const BUYER = {
  address: {
    city: 'Gyumri',
    country: 'AM',
    line1: '7 Planted Street',
    line2: null,
    postal_code: '3101',
    state: null,
  },
  email: 'planted.buyer@example.com',
  name: 'Planted Buyer',
  phone: '+37400000000',
  tax_id: null,
}

/** The members of a card in a charge and in a saved method. */
export function cardParts({ brand, last4 }: TestCard) {
  return {
    brand,
    checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
    country: 'US',
    exp_month: 12,
    exp_year: 2034,
    fingerprint: 'simulated',
    funding: 'credit',
    last4,
    regulated_status: null,
    wallet: null,
  } as const
}

export function newCharge(
  books: Books,
  intent: Stripe.PaymentIntent,
  card: TestCard,
  changes: Partial<Stripe.Charge>,
): Stripe.Charge {
  return {
    id: books.nextId('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: BUYER,
    calculated_statement_descriptor: null,
    captured: false,
    created: secondsOf(books.now()),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: null,
    livemode: false,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: null,
    paid: true,
    payment_intent: intent.id,
    payment_method: typeof intent.payment_method === 'string' ? intent.payment_method : null,
    payment_method_details: card.isBank
      ? { type: 'us_bank_account', us_bank_account: chargedAccount(card) }
      : { type: 'card', card: chargedCard(card, intent.amount) },
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'succeeded',
    transfer_data: null,
    transfer_group: null,
    ...changes,
  }
}

function chargedCard(card: TestCard, amount: number): Stripe.Charge.PaymentMethodDetails.Card {
  return {
    ...cardParts(card),
    amount_authorized: null,
    authorization_code: null,
    electronic_commerce_indicator: null,
    extended_authorization: { status: 'disabled' },
    incremental_authorization: { status: 'unavailable' },
    installments: null,
    mandate: null,
    multicapture: { status: 'unavailable' },
    network: card.brand,
    network_token: { used: false },
    network_transaction_id: null,
    overcapture: { maximum_amount_capturable: amount, status: 'unavailable' },
    three_d_secure: null,
    transaction_link_id: null,
  }
}
