/** What the driver relies on at Stripe where a payment method is saved. The guide's table has the same rows. */
import {
  type Assumption,
  everyExchange,
  isCall,
  type RecordedExchange,
  show,
  trueOr,
  valueAt,
} from '../driver/proof.ts'

/** The sentences come from what the driver's code reads. No official document was found that says them. */
const READ_ON = null
const SETUP = ['responseBody', 'setup_intent'] as const
const SAVING = 'a card is saved, with --save'
const API = 'https://docs.stripe.com/api'
const INTENTS = /^\/v1\/payment_intents(\/[^/]+)?$/
const isObject = (value: unknown) => typeof value === 'object' && value !== null
/** A session in setup mode that is complete, as a question shows it. */
const isSaved = (each: RecordedExchange) =>
  each.status === 200 &&
  isCall(each, 'GET', /^\/v1\/checkout\/sessions\/[^/]+$/) &&
  valueAt(each, 'responseBody', 'mode') === 'setup' &&
  valueAt(each, 'responseBody', 'status') === 'complete'

/** Whether each request to such a path is answered with status succeeded. */
export const succeedsAtOnce = (path: RegExp) =>
  everyExchange((each) => {
    if (!isCall(each, 'POST', path) || each.status !== 200) return null
    const status = valueAt(each, 'responseBody', 'status')
    return trueOr(status === 'succeeded', `status is ${show(status)}`)
  })

export const SAVING_ASSUMPTIONS: Assumption[] = [
  {
    id: 'setup_session_completes',
    sentence: 'A session in setup mode is complete once the card is saved, and its setup intent succeeded.',
    page: `${API}/checkout/sessions/object`,
    readOn: READ_ON,
    how: SAVING,
    judge: everyExchange((each) => {
      if (!isSaved(each)) return null
      const status = valueAt(each, ...SETUP, 'status')
      return trueOr(status === 'succeeded', `the setup intent's status is ${show(status)}`)
    }),
  },
  {
    id: 'setup_expands',
    sentence: 'One question about that session brings the setup intent and its payment method, expanded.',
    page: 'https://docs.stripe.com/expand',
    readOn: READ_ON,
    how: SAVING,
    judge: everyExchange((each) => {
      if (!isSaved(each)) return null
      const method = valueAt(each, ...SETUP, 'payment_method')
      return trueOr(isObject(method), `payment_method is ${typeof method}`)
    }),
  },
  {
    id: 'saved_card_has_customer',
    sentence: 'A card that was saved belongs to a customer.',
    page: `${API}/payment_methods/object`,
    readOn: READ_ON,
    how: SAVING,
    judge: everyExchange((each) => {
      const method = isSaved(each) ? valueAt(each, ...SETUP, 'payment_method') : undefined
      if (!isObject(method)) return null
      const customer = valueAt(method, 'customer')
      return trueOr(customer !== null && customer !== undefined, `customer is ${show(customer)}`)
    }),
  },
  {
    id: 'charge_succeeds_at_once',
    sentence: 'A charge of a saved card without the buyer answers with status succeeded at once.',
    page: 'https://docs.stripe.com/payments/save-and-reuse',
    readOn: READ_ON,
    how: `${SAVING}, and charged`,
    judge: succeedsAtOnce(/^\/v1\/payment_intents$/),
  },
  {
    id: 'charge_shows_captured_sum',
    sentence: 'The payment intent of such a charge shows its charge, and amount_received is its amount.',
    page: `${API}/payment_intents/object`,
    readOn: READ_ON,
    how: `${SAVING}, and charged`,
    judge: everyExchange((each) => {
      if (each.status !== 200 || !isCall(each, 'GET', INTENTS)) return null
      if (valueAt(each, 'responseBody', 'status') !== 'succeeded') return null
      const received = valueAt(each, 'responseBody', 'amount_received')
      const isAsAssumed =
        isObject(valueAt(each, 'responseBody', 'latest_charge')) &&
        received === valueAt(each, 'responseBody', 'amount')
      return trueOr(
        isAsAssumed,
        `amount_received is ${show(received)}, latest_charge ${typeof valueAt(each, 'responseBody', 'latest_charge')}`,
      )
    }),
  },
  {
    id: 'detached_card_has_no_customer',
    sentence: 'A card that is detached has customer null at once.',
    page: `${API}/payment_methods/detach`,
    readOn: READ_ON,
    how: `${SAVING}, and removed`,
    judge: everyExchange((each) => {
      if (!isCall(each, 'POST', /\/payment_methods\/[^/]+\/detach$/) || each.status !== 200) return null
      const customer = valueAt(each, 'responseBody', 'customer')
      return trueOr(customer === null, `customer is ${show(customer)}`)
    }),
  },
]
