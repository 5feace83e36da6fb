/** Checkout Sessions, and what a buyer does on the hosted page. */
import type Stripe from 'stripe'
import { type Account, type Books, faultOf, later, secondsOf } from './books.ts'
import { type CardName, cardOf } from './cards.ts'
import { tell } from './events.ts'
import { saveCard } from './methods.ts'
import { newSetup } from './more-objects.ts'
import { newIntent, newSession } from './objects.ts'
import { decline, succeed } from './payments.ts'
import { impossible, invalid, refuse } from './refusal.ts'
import { work } from './work.ts'

const MINUTE_SECONDS = 60
const DAY_SECONDS = 86_400
const LATE_MS = 30_000
/**
 * Stripe's smallest amounts are about half a euro. Its smallest amount in drams is not known, so this one is the simulator's
 * own.
 */
const SMALLEST: Record<string, number> = { usd: 50, eur: 50, amd: 100 }
/** Stripe's amounts have at most eight digits. */
const LARGEST = 99_999_999

/** The parameters that `ENDPOINTS` accepts. */
export type SessionParams = {
  mode?: 'payment' | 'setup'
  client_reference_id?: string
  metadata?: Record<string, string>
  success_url?: string
  cancel_url?: string
  expires_at?: number
  customer_email?: string
  locale?: Stripe.Checkout.Session.Locale
  customer_creation?: 'always' | 'if_required'
  allowed_payment_method_types?: string[]
  currency?: string
  payment_intent_data?: {
    metadata?: Record<string, string>
    capture_method?: 'automatic' | 'manual'
    description?: string
  }
  setup_intent_data?: { metadata?: Record<string, string> }
  line_items?: {
    quantity?: number
    price_data?: { currency?: string; unit_amount?: number; product_data?: { name?: string } }
  }[]
}

/** Some of the locales of Stripe's page. Armenian is not one of them. */
const LOCALES = new Set(['auto', 'en', 'ru', 'de', 'fr'])

/** @throws Refused */
export function createSession(
  books: Books,
  account: Account,
  params: SessionParams,
): Stripe.Checkout.Session {
  const { mode, success_url = null, cancel_url = null } = params
  if (!account.isActivated)
    throw refuse(400, {
      type: 'invalid_request_error',
      code: 'testmode_charges_only',
      message: 'Your account cannot currently make live charges.',
    })
  if (mode !== 'payment' && mode !== 'setup') throw invalid('', 'mode', 'Invalid mode')
  if (success_url === null)
    throw invalid('parameter_missing', 'success_url', 'Missing required param: success_url.')
  for (const [name, url] of Object.entries({ success_url, cancel_url }))
    if (url !== null && !URL.canParse(url)) throw invalid('url_invalid', name, 'Not a valid URL')
  if (params.customer_email !== undefined && !/^[^\s@"]+@[^\s@]+\.[^\s@]+$/.test(params.customer_email))
    throw invalid('email_invalid', 'customer_email', `Invalid email address: ${params.customer_email}`)
  if (!account.hasName)
    throw invalid('', '', 'In order to use Checkout, you must set an account or business name.')
  if (params.locale !== undefined && !LOCALES.has(params.locale))
    throw invalid('', 'locale', 'Invalid locale')
  const session = newSession(books, {
    mode,
    success_url,
    cancel_url,
    expires_at: expiryOf(books, params.expires_at),
    client_reference_id: params.client_reference_id ?? null,
    metadata: params.metadata ?? {},
    customer_email: params.customer_email ?? null,
    locale: params.locale ?? null,
    customer_creation: params.customer_creation ?? 'if_required',
    allowed_payment_method_types: params.allowed_payment_method_types ?? null,
  })
  if (mode === 'payment') price(account, session, params)
  else prepareSetup(books, account, session, params)
  account.sessions.set(session.id, session)
  const isEarly = faultOf(account, session.id) === 'expires_early'
  const livesMs = isEarly ? LATE_MS : session.expires_at * 1_000 - books.now().getTime()
  later(books, account, livesMs, () => {
    if (session.status === 'open') endSession(books, account, session)
  })
  return session
}

function expiryOf(books: Books, wanted: number | undefined): number {
  const now = secondsOf(books.now())
  const expiresAt = wanted ?? now + DAY_SECONDS
  if (expiresAt < now + 30 * MINUTE_SECONDS)
    throw invalid('', 'expires_at', 'The `expires_at` timestamp must be at least 30 minutes from creation.')
  if (expiresAt > now + DAY_SECONDS)
    throw invalid('', 'expires_at', 'The `expires_at` timestamp must be less than 24 hours from creation.')
  return expiresAt
}

function price(account: Account, session: Stripe.Checkout.Session, params: SessionParams): void {
  const [item, ...more] = params.line_items ?? []
  const { currency = '', unit_amount = 0, product_data: { name = '' } = {} } = item?.price_data ?? {}
  if (!item || more.length > 0) throw invalid('parameter_missing', 'line_items', 'One line item is wanted')
  const smallest = SMALLEST[currency]
  if (smallest === undefined)
    throw invalid('', 'line_items[0][price_data][currency]', `Invalid currency: ${currency}`)
  if (name === '')
    throw invalid('parameter_invalid_empty', 'line_items[0][price_data][product_data][name]', 'Empty')
  const total = unit_amount * (item.quantity ?? 1)
  if (total < smallest)
    throw impossible(
      'amount_too_small',
      'The Checkout Session total amount is below the minimum charge amount',
    )
  if (total > LARGEST)
    throw impossible(
      'amount_too_large',
      'The Checkout Session total amount must be no more than 99999999 in the smallest unit of the currency',
    )
  Object.assign(session, { currency, amount_total: total, amount_subtotal: total })
  const planned = params.payment_intent_data ?? {}
  const { capture_method: capture = 'automatic', metadata = {}, description = null } = planned
  account.plans.set(session.id, { capture, metadata, description, name })
}

function prepareSetup(
  books: Books,
  account: Account,
  session: Stripe.Checkout.Session,
  params: SessionParams,
) {
  if (!params.currency && !params.allowed_payment_method_types)
    throw invalid('parameter_missing', 'currency', 'Missing required param: currency.')
  const setup = newSetup(books, params.setup_intent_data?.metadata ?? {})
  account.setups.set(setup.id, setup)
  Object.assign(session, { setup_intent: setup.id, payment_status: 'no_payment_required' })
}

/** @throws Refused */
export function expireSession(books: Books, account: Account, session: Stripe.Checkout.Session): void {
  const intent = account.intents.get(String(session.payment_intent))
  const isPaying = intent?.status === 'requires_action' || intent?.status === 'processing'
  if (session.status !== 'open' || isPaying)
    throw impossible('', 'Only Checkout Sessions with a status in ["open"] can be expired.')
  endSession(books, account, session)
}

function endSession(books: Books, account: Account, session: Stripe.Checkout.Session): void {
  Object.assign(session, { status: 'expired', url: null })
  const intent = account.intents.get(String(session.payment_intent))
  if (intent) Object.assign(intent, { status: 'canceled', cancellation_reason: 'automatic' })
  tell(books, account, 'checkout.session.expired', session)
}

/** Applies the buyer's choice on the page. Returns whether the page has another question. */
export function choose(
  books: Books,
  account: Account,
  session: Stripe.Checkout.Session,
  cardName: CardName,
): 'done' | 'declined' | 'authenticate' {
  if (session.status !== 'open') return 'done'
  if (session.mode === 'setup') return saveCard(books, account, session, cardName)
  const intent = intentFor(books, account, session)
  const { onPage } = cardOf(cardName)
  account.cards.set(intent.id, cardName)
  if (onPage === 'authenticates') {
    Object.assign(intent, { status: 'requires_action', next_action: { type: 'use_stripe_sdk' } })
    return 'authenticate'
  }
  if (onPage !== 'succeeds') {
    decline(books, account, intent, cardName, onPage)
    return 'declined'
  }
  complete(books, account, session, intent)
  return 'done'
}

/** Applies the buyer's reply to the bank's question. */
export function authenticate(
  books: Books,
  account: Account,
  session: Stripe.Checkout.Session,
  isRight: boolean,
): 'done' | 'declined' {
  const intent = account.intents.get(String(session.payment_intent))
  if (session.status !== 'open' || intent?.status !== 'requires_action') return 'done'
  if (isRight) complete(books, account, session, intent)
  else {
    const failed = { code: 'payment_intent_authentication_failure', declineCode: null }
    decline(books, account, intent, cardOn(account, intent.id), failed)
  }
  return isRight ? 'done' : 'declined'
}

function cardOn(account: Account, id: string): CardName {
  return account.cards.get(id) ?? 'visa'
}

/** An intent exists from the buyer's first attempt on. */
function intentFor(books: Books, account: Account, session: Stripe.Checkout.Session): Stripe.PaymentIntent {
  const known = account.intents.get(String(session.payment_intent))
  if (known) return known
  const { capture = 'automatic', metadata = {}, description = null } = account.plans.get(session.id) ?? {}
  const fault = faultOf(account, session.id)
  const amount = (session.amount_total ?? 0) + (fault === 'wrong_amount' ? 1 : 0)
  const agreed = session.currency ?? 'usd'
  const other = agreed === 'usd' ? 'eur' : 'usd'
  const currency = fault === 'wrong_currency' ? other : agreed
  const intent = newIntent(books, { amount, currency, metadata }, { capture_method: capture, description })
  account.intents.set(intent.id, intent)
  session.payment_intent = intent.id
  return intent
}

function complete(
  books: Books,
  account: Account,
  session: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent,
): void {
  const isElsewhere = faultOf(account, session.id) === 'waits_elsewhere'
  const cardName = isElsewhere ? 'voucher' : cardOn(account, intent.id)
  const isLate = isElsewhere || faultOf(account, session.id) === 'late_paid'
  const pending = isLate ? ({ ms: LATE_MS, ends: 'succeeds' } as const) : cardOf(cardName).work
  Object.assign(session, { status: 'complete', url: null })
  if (pending) work(books, account, intent, cardName, pending)
  else succeed(books, account, intent, cardOf(cardName))
  tell(books, account, 'checkout.session.completed', session)
}
