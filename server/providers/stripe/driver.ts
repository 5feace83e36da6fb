/**
 * The Stripe driver. The buyer pays on Stripe's own page (a Checkout Session). A saved card is charged by a payment intent. The
 * driver uses Stripe's official library. The guide on Stripe lists what is tested and what is assumed.
 */
import type { Driver, Keyed, MoneyWrite, WriteResult } from '../driver.ts'
import { check, readAccount } from './check.ts'
import { openSession, paymentParams, withdraw } from './checkout.ts'
import { askStripe, read, refusalOf, type StripeCall } from './client.ts'
import { receive, reply } from './inbound.ts'
import { locate, lookUp, readSession } from './look-up.ts'
import { methodMembers } from './methods.ts'
import { describeRefusal } from './refusals.ts'
import { keyOfWrite } from './request-id.ts'
import { modeOfKey, STRIPE_API, StripeSettings, webhookSecretsOf } from './settings.ts'
import { Intent, OPERATION, REFERENCE, Refund } from './shapes.ts'

const HOUR_MS = 3_600_000
/** Stripe keeps a key for at least this long. */
const KEY_LIFETIME_MS = 24 * HOUR_MS
const KEYED: Keyed = {
  start: KEY_LIFETIME_MS,
  charge: KEY_LIFETIME_MS,
  refund: KEY_LIFETIME_MS,
  capture: KEY_LIFETIME_MS,
  void: KEY_LIFETIME_MS,
}

type Write = (call: StripeCall, intent: string, write: MoneyWrite) => Promise<WriteResult>

/** The payment intent's id. It is known once the buyer has confirmed. */
async function intentOf(call: StripeCall, order: MoneyWrite): Promise<string | null> {
  const search = await locate(call, order)
  if (search.kind !== 'found') return null
  const { session, intent } = search.state
  if (intent !== undefined || session === undefined) return intent ?? null
  const { payment_intent: own } = await readSession(call, session)
  return (typeof own === 'string' ? own : own?.id) ?? null
}

function asWrite(send: Write) {
  return async (call: StripeCall, write: MoneyWrite): Promise<WriteResult> => {
    const intent = await intentOf(call, write)
    if (intent === null) return { kind: 'unknown', message: 'Stripe does not say which payment this is' }
    try {
      return await send(call, intent, write)
    } catch (error) {
      const refusal = refusalOf(error)
      if (!refusal) throw error
      return { kind: 'refused', message: describeRefusal(refusal), refusal: 'order' }
    }
  }
}

const refund = asWrite(async (call, intent, write) => {
  const { reference, key, amountMinor } = write
  const params = {
    payment_intent: intent,
    amount: amountMinor,
    metadata: { [REFERENCE]: reference, [OPERATION]: key },
  }
  const answer = await askStripe(call, (stripe) => stripe.refunds.create(params, keyOfWrite('refund', write)))
  const { id, status } = read(call, Refund, answer)
  if (status === 'failed' || status === 'canceled')
    return { kind: 'refused', message: 'Stripe could not carry out the refund', refusal: 'order' }
  return { kind: status === 'succeeded' ? 'done' : 'pending', operationId: id }
})

const capture = asWrite(async (call, intent, write) => {
  const params = { amount_to_capture: write.amountMinor }
  const answer = await askStripe(call, (stripe) =>
    stripe.paymentIntents.capture(intent, params, keyOfWrite('capture', write)),
  )
  const { id, status } = read(call, Intent, answer)
  return { kind: status === 'succeeded' ? 'done' : 'pending', operationId: id }
})

const cancel = asWrite(async (call, intent, write) => {
  const answer = await askStripe(call, (stripe) =>
    stripe.paymentIntents.cancel(intent, {}, keyOfWrite('cancel', write)),
  )
  return { kind: 'done', operationId: read(call, Intent, answer).id }
})

export const stripeDriver: Driver<StripeSettings> = {
  label: 'Stripe',
  mark: 'card',
  // In all three currencies Stripe counts in hundredths.
  currencies: ['AMD', 'USD', 'EUR'],
  // Stripe's amounts have at most eight digits. It documents the smallest amounts of some currencies only.
  amountBounds: {
    AMD: { largestMinor: 99_999_999 },
    USD: { smallestMinor: 50, largestMinor: 99_999_999 },
    EUR: { smallestMinor: 50, largestMinor: 99_999_999 },
  },
  liveCapable: true,
  supportsAutoinit: true,
  settings: StripeSettings,
  identity: ['ACCOUNT'],
  secrets: ['SECRET_KEY', 'WEBHOOK_SECRET'],
  modeOf: ({ SECRET_KEY }) => modeOfKey(SECRET_KEY),
  addresses: ({ API_BASE }) => [API_BASE ?? STRIPE_API],
  keyed: () => KEYED,

  startCheckout: (call, attempt) => openSession(call, attempt, paymentParams(call, attempt)),
  lookUp,
  withdraw,
  refund,
  capture,
  void: cancel,

  eligible(_call, write, { snapshot: { capturedMinor, authorizedMinor, dispute } }) {
    if (write === 'void' && capturedMinor > 0) return 'the payment is captured, and Stripe can only refund it'
    if (write === 'capture' && (capturedMinor > 0 || authorizedMinor === 0))
      return 'nothing is authorized, and Stripe captures once'
    if (write === 'refund' && dispute)
      return 'the buyer disputes the payment, and Stripe refunds no disputed payment'
    return null
  },

  ...methodMembers,

  callbacksSetUp: (settings) => webhookSecretsOf(settings).length > 0,
  inbound: { receive, reply },
  check,
  identify: async (call) => (await readAccount(call)).id,
}
