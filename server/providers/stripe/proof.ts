/** What the driver relies on at Stripe. The guide's table has the same rows. */
import {
  type Assumption,
  type DriverAssumptions,
  everyExchange,
  isCall,
  type RecordedExchange,
  show,
  trueOr,
  valueAt,
} from '../driver/proof.ts'
import { recordable } from './recordable.ts'
import { SAVING_ASSUMPTIONS, succeedsAtOnce } from './saving-proof.ts'

const SESSION = /^\/v1\/checkout\/sessions\/[^/]+$/
const INTENT = ['responseBody', 'payment_intent'] as const
const CHARGE = [...INTENT, 'latest_charge'] as const

/** A session as a question shows it. */
const isSession = (each: RecordedExchange) => each.status === 200 && isCall(each, 'GET', SESSION)
const isPaid = (each: RecordedExchange) =>
  isSession(each) &&
  valueAt(each, ...INTENT, 'status') === 'succeeded' &&
  Number(valueAt(each, ...INTENT, 'amount_received')) > 0
const isObject = (value: unknown) => typeof value === 'object' && value !== null

const INTENTS = /^\/v1\/payment_intents(\/[^/]+)?$/
/** The charge in an answer about a session, or about the payment intent of a saved card. */
const chargeIn = (each: RecordedExchange) =>
  isSession(each) ? valueAt(each, ...CHARGE) : valueAt(each, 'responseBody', 'latest_charge')

/** The sentences come from what the driver's code reads. Where `readOn` is null, no official document was found that says it. */
const DECLARED = '2026-11-23, in the declarations of the package stripe 23.1.0'
const EXPANDING = '2026-11-23, in the declarations of the package stripe 23.1.0 and the page Expanding'
const API = 'https://docs.stripe.com/api'

const assumptions: Assumption[] = [
  {
    id: 'session_opens_with_page',
    sentence: 'A new session is open, and names the page for the buyer.',
    page: `${API}/checkout/sessions/create`,
    readOn: null,
    how: 'an order is opened',
    judge: everyExchange((each) => {
      if (!isCall(each, 'POST', /^\/v1\/checkout\/sessions$/) || each.status !== 200) return null
      const { status, url } = each.responseBody as { status?: unknown; url?: unknown }
      return trueOr(status === 'open' && typeof url === 'string', `status ${show(status)}, url ${typeof url}`)
    }),
  },
  {
    id: 'no_intent_before_paying',
    sentence: 'A session has payment_intent null until the buyer pays.',
    page: `${API}/checkout/sessions/object`,
    readOn: null,
    how: 'an order is opened',
    judge: everyExchange((each) => {
      if (!isCall(each, 'POST', /^\/v1\/checkout\/sessions$/) || each.status !== 200) return null
      if (valueAt(each, 'responseBody', 'mode') === 'setup') return null
      const intent = valueAt(each, ...INTENT)
      return trueOr(intent === null, `payment_intent is ${typeof intent}`)
    }),
  },
  {
    id: 'reference_comes_back',
    sentence: 'A session shows the client_reference_id that it was opened with.',
    page: `${API}/checkout/sessions/object`,
    readOn: DECLARED,
    how: 'an order is opened',
    judge: everyExchange((each) => {
      if (!isCall(each, 'POST', /^\/v1\/checkout\/sessions$/) || each.status !== 200) return null
      const [sent, back] = [
        valueAt(each, 'requestBody', 'client_reference_id'),
        valueAt(each, 'responseBody', 'client_reference_id'),
      ]
      return trueOr(sent === back, `client_reference_id is ${show(back)}`)
    }),
  },
  {
    id: 'objects_say_test',
    sentence: 'Every object says with livemode false that it is test money.',
    page: `${API}/checkout/sessions/object`,
    readOn: DECLARED,
    how: 'any request',
    judge: everyExchange((each) => {
      const mode = valueAt(each, 'responseBody', 'livemode')
      return mode === undefined ? null : trueOr(mode === false, `livemode is ${show(mode)}`)
    }),
  },
  {
    id: 'session_complete_when_paid',
    sentence: 'The session of a payment that succeeded is complete.',
    page: `${API}/checkout/sessions/object`,
    readOn: null,
    how: 'the buyer pays',
    judge: everyExchange((each) => {
      if (!isPaid(each)) return null
      const status = valueAt(each, 'responseBody', 'status')
      return trueOr(status === 'complete', `status is ${show(status)}`)
    }),
  },
  {
    id: 'intent_expands',
    sentence: 'One question about a paid session brings the payment intent and its charge, expanded.',
    page: 'https://docs.stripe.com/expand',
    readOn: EXPANDING,
    how: 'the buyer pays',
    judge: everyExchange((each) => {
      if (!isSession(each) || valueAt(each, 'responseBody', 'status') !== 'complete') return null
      if (valueAt(each, 'responseBody', 'mode') === 'setup') return null
      return trueOr(
        isObject(valueAt(each, ...INTENT)) && isObject(valueAt(each, ...CHARGE)),
        `payment_intent is ${typeof valueAt(each, ...INTENT)}, latest_charge is ${typeof valueAt(each, ...CHARGE)}`,
      )
    }),
  },
  {
    id: 'refunds_expand',
    sentence: 'The refunds of the charge can be expanded through the session.',
    page: 'https://docs.stripe.com/expand',
    readOn: null,
    how: 'the buyer pays',
    judge: everyExchange((each) => {
      if (!isSession(each) || !isObject(valueAt(each, ...CHARGE))) return null
      const data = valueAt(each, ...CHARGE, 'refunds', 'data')
      return trueOr(Array.isArray(data), `refunds.data is ${show(data)}`)
    }),
  },
  {
    id: 'hold_shows_capturable',
    sentence: 'An authorized payment is requires_capture, and amount_capturable is its amount.',
    page: 'https://docs.stripe.com/payments/place-a-hold-on-a-payment-method',
    readOn: null,
    how: 'the buyer pays in two steps',
    judge: everyExchange((each) => {
      if (!isSession(each) || valueAt(each, ...INTENT, 'status') !== 'requires_capture') return null
      const held = valueAt(each, ...INTENT, 'amount_capturable')
      return trueOr(held === valueAt(each, ...INTENT, 'amount'), `amount_capturable is ${show(held)}`)
    }),
  },
  {
    id: 'capture_succeeds_at_once',
    sentence: 'A capture answers with status succeeded at once.',
    page: `${API}/payment_intents/capture`,
    readOn: null,
    how: 'a capture, in two steps',
    judge: succeedsAtOnce(/\/payment_intents\/[^/]+\/capture$/),
  },
  {
    id: 'refund_succeeds_at_once',
    sentence: 'A refund of a card payment answers with status succeeded at once.',
    page: `${API}/refunds/create`,
    readOn: null,
    how: 'a refund',
    judge: succeedsAtOnce(/\/refunds$/),
  },
  {
    id: 'refund_keeps_metadata',
    sentence: 'The refunds of a charge show the metadata that each refund was made with.',
    page: `${API}/refunds/object`,
    readOn: DECLARED,
    how: 'a refund, and a question after it',
    judge: (calls) => {
      const all = calls.flatMap(({ exchanges }) => exchanges)
      const sent = all
        .filter((each) => isCall(each, 'POST', /\/refunds$/) && each.status === 200)
        .map((each) => valueAt(each, 'requestBody', 'metadata[kassa_operation]'))
      const shown = all
        .filter((each) => isSession(each) || (each.status === 200 && isCall(each, 'GET', INTENTS)))
        .flatMap((each) => (valueAt(chargeIn(each), 'refunds', 'data') ?? []) as unknown[])
        .map((refund) => valueAt(refund, 'metadata', 'kassa_operation'))
      if (sent.length === 0 || shown.length === 0) return { kind: 'not_seen' }
      if (sent.every((key) => key !== undefined && shown.includes(key))) return { kind: 'seen' }
      return { kind: 'differs', instead: 'a refund without the metadata kassa_operation' }
    },
  },
  {
    id: 'void_cancels_hold',
    sentence: 'A cancelled hold answers with status canceled at once.',
    page: `${API}/payment_intents/cancel`,
    readOn: null,
    how: 'a void, in two steps',
    judge: everyExchange((each) => {
      if (!isCall(each, 'POST', /\/payment_intents\/[^/]+\/cancel$/) || each.status !== 200) return null
      const status = valueAt(each, 'responseBody', 'status')
      return trueOr(status === 'canceled', `status is ${show(status)}`)
    }),
  },
  {
    id: 'captured_sum_stays',
    sentence: 'A refund changes amount_refunded of the charge, and amount_received of the intent stays.',
    page: `${API}/charges/object`,
    readOn: null,
    how: 'a refund, and a question after it',
    judge: everyExchange((each) => {
      if (!isPaid(each) || !Number(valueAt(each, ...CHARGE, 'amount_refunded'))) return null
      const [received, captured] = [
        valueAt(each, ...INTENT, 'amount_received'),
        valueAt(each, ...CHARGE, 'amount_captured'),
      ]
      return trueOr(
        received === captured,
        `amount_received ${show(received)}, amount_captured ${show(captured)}`,
      )
    }),
  },
  {
    id: 'withdrawn_session_expires',
    sentence: 'A session that is ended answers with status expired at once.',
    page: `${API}/checkout/sessions/expire`,
    readOn: null,
    how: 'the test is ended with Ctrl-C before the buyer pays',
    judge: everyExchange((each) => {
      if (!isCall(each, 'POST', /\/sessions\/[^/]+\/expire$/) || each.status !== 200) return null
      const status = valueAt(each, 'responseBody', 'status')
      return trueOr(status === 'expired', `status is ${show(status)}`)
    }),
  },
]

export const stripeProof: DriverAssumptions = {
  recordable,
  assumptions: [...assumptions, ...SAVING_ASSUMPTIONS],
}
