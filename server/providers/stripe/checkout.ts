/**
 * Opens and ends Checkout Sessions.
 * Rule: each reference has one key, so it has one session, however often the same attempt is started. Only where Stripe has failed
 * with a 500, which it keeps under the key, and has opened nothing, there is a second key.
 */
import type Stripe from 'stripe'
import type { CheckoutRequest, MethodSaving, ProviderOrder, StartResult, WriteResult } from '../driver.ts'
import { askStripe, isKeyTaken, read, refusalOf, type StripeCall } from './client.ts'
import { findOrder } from './find.ts'
import { locate, openedBy, readSession } from './look-up.ts'
import { describeRefusal, kindOf } from './refusals.ts'
import { keyOfOpening, type OpeningMark } from './request-id.ts'
import { labelsOf, Session } from './shapes.ts'

type Params = Stripe.Checkout.SessionCreateParams

const MINUTE_MS = 60_000
/** Stripe accepts 30 minutes to 24 hours. We leave a minute on each side, because clocks differ. */
const SHORTEST_MS = 31 * MINUTE_MS
const LONGEST_MS = (24 * 60 - 1) * MINUTE_MS
const NAME_CHARS_MAX = 200
/** Our languages that Stripe's page has. In any other it follows the buyer's browser. */
const LOCALES: Partial<Record<string, 'en' | 'ru'>> = { en: 'en', ru: 'ru' }

export function paymentParams({ settings: { STEPS } }: StripeCall, attempt: CheckoutRequest): Params {
  const { reference, amountMinor, currency, merchantName, description, customer } = attempt
  const labels = labelsOf(attempt)
  const name = [...(description || merchantName || reference)].slice(0, NAME_CHARS_MAX).join('')
  return {
    mode: 'payment',
    metadata: labels.metadata,
    line_items: [
      {
        quantity: 1,
        price_data: { currency: currency.toLowerCase(), unit_amount: amountMinor, product_data: { name } },
      },
    ],
    ...(customer?.email && { customer_email: customer.email }),
    payment_intent_data: { ...labels, ...(STEPS === 'two' && { capture_method: 'manual' }) },
    // Otherwise Stripe may show and charge another currency than the one that was agreed on.
    adaptive_pricing: { enabled: false },
  }
}

/** Opens a session, or finds the one that was opened before for this reference. */
export async function openSession(
  call: StripeCall,
  attempt: CheckoutRequest | MethodSaving,
  params: Params,
  ...marks: OpeningMark[]
): Promise<Extract<StartResult, { kind: 'redirect' | 'refused' | 'unknown' }>> {
  const { reference, returnUrl, expiresAt, language } = attempt
  const locale = LOCALES[language ?? '']
  const plain: Params = {
    ...params,
    client_reference_id: reference,
    ...(locale && { locale }),
    success_url: returnUrl,
    cancel_url: returnUrl,
  }
  const leftMs = expiresAt.getTime() - call.now().getTime()
  const isTimed = leftMs >= SHORTEST_MS && leftMs <= LONGEST_MS
  const timed: Params = { ...plain, expires_at: Math.floor(expiresAt.getTime() / 1_000) }
  try {
    return await create(call, isTimed ? timed : plain, keyOfOpening(reference, ...marks))
  } catch (error) {
    const refusal = refusalOf(error)
    // Stripe's clock and ours differ. Nothing was opened, so we may open a session of Stripe's default length.
    if (isTimed && refusal?.param === 'expires_at')
      return create(call, plain, keyOfOpening(reference, ...marks, 'day'))
    // The address only fills in a field of Stripe's page. The payment does not fail because of it.
    const { customer_email, ...rest } = params
    if (customer_email !== undefined && refusal?.param === 'customer_email')
      return openSession(call, attempt, rest, 'bare')
    if (refusal) return { kind: 'refused', message: describeRefusal(refusal), refusal: kindOf(refusal) }
    if (!isKeyTaken(error)) throw error
    const opened = await findOpened(call, reference)
    // A session that the failed request may still open has an address that nobody gets, so nobody can pay there.
    if (opened === 'none' && !marks.includes('again')) return openSession(call, attempt, params, 'again')
    if (typeof opened === 'object') return opened
    return { kind: 'unknown', message: 'Stripe has seen this order before, and no open session is found' }
  }
}

async function create(call: StripeCall, params: Params, key: { idempotencyKey: string }) {
  const answer = await askStripe(call, (stripe) => stripe.checkout.sessions.create(params, key))
  const opened = openedBy(call, read(call, Session, answer))
  if (opened?.kind !== 'redirect') throw new Error('Stripe has opened a session without an address')
  return opened
}

/** For so long Stripe remembers a key. It may forget it later than it says. */
const KEY_MS = 26 * 60 * MINUTE_MS

/**
 * The key was used before, for a different request or for one that failed at Stripe with a 500. An existing session counts. `none`:
 * there is certainly no session.
 */
async function findOpened(call: StripeCall, reference: string) {
  const before = call.now()
  const between = { after: new Date(before.getTime() - KEY_MS), before }
  const search = await findOrder(call, { reference, opened: between }, ['session'])
  if (search.kind === 'not_found') return 'none'
  const id = search.kind === 'found' ? search.state.session : undefined
  const opened = id === undefined ? null : openedBy(call, await readSession(call, id))
  return opened?.kind === 'redirect' ? opened : 'over'
}

/** Ends an open session, or cancels a charge of a saved method that waits for something. */
export async function withdraw(call: StripeCall, order: ProviderOrder): Promise<WriteResult> {
  const search = await locate(call, order)
  if (search.kind === 'unsure') return { kind: 'unknown', message: 'the order is not found among too many' }
  if (search.kind === 'not_found')
    return { kind: 'refused', message: 'Stripe knows no such order', refusal: 'order' }
  const { session, intent = '' } = search.state
  try {
    await askStripe(call, async (stripe) =>
      session === undefined ? stripe.paymentIntents.cancel(intent) : stripe.checkout.sessions.expire(session),
    )
    return { kind: 'done' }
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) throw error
    // Only an open session can be ended. This one is over, or the buyer has paid.
    if (session !== undefined && (await readSession(call, session)).status === 'expired')
      return { kind: 'done' }
    return { kind: 'refused', message: 'the buyer has paid already, or is paying', refusal: 'order' }
  }
}
