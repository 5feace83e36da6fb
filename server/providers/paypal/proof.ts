/** What the driver relies on at PayPal. The guide's table has the same rows. */
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
import { SAVING_ASSUMPTIONS } from './saving-proof.ts'

const ORDER = /^\/v2\/checkout\/orders\/[^/]+$/
const FINALIZE = /^\/v2\/checkout\/orders\/[^/]+\/(capture|authorize)$/
const isDone = ({ status }: RecordedExchange) => status === 200 || status === 201
const isOrder = (each: RecordedExchange) => isDone(each) && isCall(each, 'GET', ORDER)
const orderStatus = (each: RecordedExchange) => valueAt(each, 'responseBody', 'status')
const PAYMENTS = ['responseBody', 'purchase_units', 0, 'payments'] as const
const listOf = (each: RecordedExchange, name: string) => (valueAt(each, ...PAYMENTS, name) ?? []) as unknown[]

/** The sentences come from what the driver's code reads. Where `readOn` is null, no official document was found that says it. */
const ORDERS_2_13 = "2026-11-23, in PayPal's OpenAPI document Orders 2.13 of February 2024"
const PAYMENTS_2_5 = "2026-11-23, in PayPal's OpenAPI document Payments 2.5 of February 2024"
const ORDERS = 'https://developer.paypal.com/docs/api/orders/v2/'
const PAYMENTS_API = 'https://developer.paypal.com/docs/api/payments/v2/'

const CREATED = /^\/v2\/checkout\/orders$/
/** Opens an order for a buyer. A charge of a saved account is no such request. */
const isOpening = (each: RecordedExchange) =>
  isCall(each, 'POST', CREATED) &&
  valueAt(each, 'requestBody', 'payment_source', 'paypal', 'vault_id') === undefined

/** Judges an answer to a write by its status. */
const answersWith = (verb: string, pattern: RegExp, statuses: readonly string[]): Assumption['judge'] =>
  everyExchange((each) => {
    if (!isDone(each) || !isCall(each, verb, pattern)) return null
    const status = orderStatus(each)
    return trueOr(statuses.includes(String(status)), `status is ${show(status)}`)
  })

const assumptions: Assumption[] = [
  {
    id: 'order_waits_for_payer',
    sentence: 'A new order is PAYER_ACTION_REQUIRED, or CREATED.',
    page: `${ORDERS}#orders_create`,
    readOn: null,
    how: 'an order is opened',
    judge: everyExchange((each) => {
      if (!isDone(each) || !isOpening(each)) return null
      const status = String(orderStatus(each))
      return trueOr(['PAYER_ACTION_REQUIRED', 'CREATED'].includes(status), `status is ${status}`)
    }),
  },
  {
    id: 'order_names_page',
    sentence: 'A new order names the page for the buyer as payer-action, or as approve.',
    page: `${ORDERS}#orders_create`,
    readOn: null,
    how: 'an order is opened',
    judge: everyExchange((each) => {
      if (!isDone(each) || !isOpening(each)) return null
      const rels = ((valueAt(each, 'responseBody', 'links') ?? []) as unknown[]).map((link) =>
        valueAt(link, 'rel'),
      )
      return trueOr(rels.includes('payer-action') || rels.includes('approve'), `links ${rels.join(', ')}`)
    }),
  },
  {
    id: 'new_order_is_201',
    sentence: 'Opening an order answers with 201 the first time, and with 200 when it is repeated.',
    page: 'https://developer.paypal.com/api/rest/reference/idempotency/',
    readOn: ORDERS_2_13,
    how: 'an order is opened',
    judge: everyExchange((each) => {
      if (!isCall(each, 'POST', CREATED) || (each.status ?? 500) >= 400) return null
      return trueOr(isDone(each), `status ${each.status}`)
    }),
  },
  {
    id: 'custom_id_comes_back',
    sentence: 'An order shows the custom_id that it was opened with.',
    page: `${ORDERS}#orders_get`,
    readOn: ORDERS_2_13,
    how: 'an order is opened, and a question about it',
    judge: (calls) => {
      const all = calls.flatMap(({ exchanges }) => exchanges)
      const sent = all
        .filter((each) => isDone(each) && isCall(each, 'POST', CREATED))
        .map((each) => valueAt(each, 'requestBody', 'purchase_units', 0, 'custom_id'))
      const shown = all
        .filter(isOrder)
        .map((each) => valueAt(each, 'responseBody', 'purchase_units', 0, 'custom_id'))
      if (sent.length === 0 || shown.length === 0) return { kind: 'not_seen' }
      const foreign = shown.find((each) => !sent.includes(each))
      return shown.every((each) => sent.includes(each))
        ? { kind: 'seen' }
        : { kind: 'differs', instead: `custom_id is ${show(foreign)}` }
    },
  },
  {
    id: 'approval_is_not_payment',
    sentence:
      'After the approval the order is APPROVED and has no payment, until the service takes the money.',
    page: 'https://developer.paypal.com/docs/checkout/standard/',
    readOn: null,
    how: 'the buyer approves',
    judge: everyExchange((each) => {
      if (!isOrder(each) || orderStatus(each) !== 'APPROVED') return null
      const count = listOf(each, 'captures').length + listOf(each, 'authorizations').length
      return trueOr(count === 0, `${count} payments`)
    }),
  },
  {
    id: 'approved_has_no_update_time',
    sentence: 'An approved order has no update_time.',
    page: `${ORDERS}#orders_get`,
    readOn: null,
    how: 'the buyer approves',
    judge: everyExchange((each) => {
      if (!isOrder(each) || orderStatus(each) !== 'APPROVED') return null
      return trueOr(valueAt(each, 'responseBody', 'update_time') === undefined, 'an update_time')
    }),
  },
  {
    id: 'finalized_is_completed',
    sentence: 'An order whose money is taken or held is COMPLETED.',
    page: `${ORDERS}#orders_capture`,
    readOn: null,
    how: 'the buyer approves',
    judge: answersWith('POST', FINALIZE, ['COMPLETED']),
  },
  {
    id: 'completed_lists_payments',
    sentence: 'A completed order lists its captures or authorizations.',
    page: `${ORDERS}#orders_get`,
    readOn: ORDERS_2_13,
    how: 'the buyer approves',
    judge: everyExchange((each) => {
      if (!isOrder(each) || orderStatus(each) !== 'COMPLETED') return null
      const count = listOf(each, 'captures').length + listOf(each, 'authorizations').length
      return trueOr(count > 0, 'no payment in the order')
    }),
  },
  {
    id: 'authorization_names_its_end',
    sentence: 'An authorization names its expiration_time.',
    page: `${PAYMENTS_API}#authorizations_get`,
    readOn: PAYMENTS_2_5,
    how: 'the buyer approves, in two steps',
    judge: everyExchange((each) => {
      const [held] = isOrder(each) ? listOf(each, 'authorizations') : []
      if (held === undefined) return null
      return trueOr(typeof valueAt(held, 'expiration_time') === 'string', 'no expiration_time')
    }),
  },
  {
    id: 'capture_completes_at_once',
    sentence: 'A capture of an authorization is COMPLETED at once.',
    page: `${PAYMENTS_API}#authorizations_capture`,
    readOn: null,
    how: 'a capture, in two steps',
    judge: answersWith('POST', /\/authorizations\/[^/]+\/capture$/, ['COMPLETED']),
  },
  {
    id: 'refund_completes_at_once',
    sentence: 'A refund from the balance of the account is COMPLETED at once.',
    page: `${PAYMENTS_API}#captures_refund`,
    readOn: null,
    how: 'a refund',
    judge: answersWith('POST', /\/captures\/[^/]+\/refund$/, ['COMPLETED']),
  },
  {
    id: 'refund_keeps_custom_id',
    sentence: 'The order lists each refund with the custom_id that it was made with.',
    page: `${ORDERS}#orders_get`,
    readOn: ORDERS_2_13,
    how: 'a refund, and a question after it',
    judge: (calls) => {
      const all = calls.flatMap(({ exchanges }) => exchanges)
      const sent = all
        .filter((each) => isDone(each) && isCall(each, 'POST', /\/captures\/[^/]+\/refund$/))
        .map((each) => valueAt(each, 'requestBody', 'custom_id'))
      const shown = all
        .filter(isOrder)
        .flatMap((each) => listOf(each, 'refunds'))
        .map((refund) => valueAt(refund, 'custom_id'))
      if (sent.length === 0 || shown.length === 0) return { kind: 'not_seen' }
      if (sent.every((key) => key !== undefined && shown.includes(key))) return { kind: 'seen' }
      return { kind: 'differs', instead: 'a refund without its custom_id' }
    },
  },
  {
    id: 'refunded_capture_says_so',
    sentence:
      'A capture of which a part was refunded is PARTIALLY_REFUNDED, and REFUNDED when all of it was.',
    page: `${PAYMENTS_API}#captures_get`,
    readOn: null,
    how: 'a refund, and a question after it',
    judge: everyExchange((each) => {
      if (!isOrder(each) || listOf(each, 'refunds').length === 0) return null
      const status = valueAt(listOf(each, 'captures')[0], 'status')
      return trueOr(
        status === 'PARTIALLY_REFUNDED' || status === 'REFUNDED',
        `the capture's status is ${show(status)}`,
      )
    }),
  },
  {
    id: 'void_answers_with_authorization',
    sentence: 'A void answers with 204, or with the authorization as VOIDED.',
    page: `${PAYMENTS_API}#authorizations_void`,
    readOn: PAYMENTS_2_5,
    how: 'a void, in two steps',
    judge: everyExchange((each) => {
      if (!isCall(each, 'POST', /\/authorizations\/[^/]+\/void$/) || (each.status ?? 500) >= 400) return null
      const status = orderStatus(each)
      return trueOr(each.status === 204 || status === 'VOIDED', `${each.status} with status ${show(status)}`)
    }),
  },
]

export const paypalProof: DriverAssumptions = {
  recordable,
  assumptions: [...assumptions, ...SAVING_ASSUMPTIONS],
}
