/** What the driver relies on at PayPal, and what of an exchange with PayPal may be kept. The guide's table has the same rows. */
import {
  type Assumption,
  at,
  type DriverProof,
  everyExchange,
  type Recordable,
  type RecordedExchange,
  show,
  wordsOf,
} from '../driver/proof.ts'

const recordable: Recordable = {
  words: wordsOf(`
    token customer_id disputed_transaction_id
    https http v1 v2 v3 checkout orders capture authorize payments captures authorizations refunds refund void reauthorize vault
    setup-tokens payment-tokens customer disputes checkoutnow www.sandbox.paypal.com api-m.sandbox.paypal.com
    api.sandbox.paypal.com
    self approve payer-action up update edit GET POST PATCH DELETE CAPTURE AUTHORIZE PAY_NOW NO_SHIPPING NO_PREFERENCE
    IMMEDIATE_PAYMENT_REQUIRED MERCHANT ON_SUCCESS SETUP_TOKEN CREATED SAVED APPROVED VOIDED COMPLETED PAYER_ACTION_REQUIRED
    DECLINED PARTIALLY_REFUNDED PENDING REFUNDED FAILED CAPTURED DENIED PARTIALLY_CAPTURED CANCELLED VAULTED
    USD EUR AMD INSTANT ELIGIBLE NOT_ELIGIBLE PARTIALLY_ELIGIBLE VERIFIED UNVERIFIED
    UNPROCESSABLE_ENTITY INVALID_REQUEST RESOURCE_NOT_FOUND NOT_AUTHORIZED PERMISSION_DENIED INVALID_RESOURCE_ID
    ORDER_NOT_APPROVED ORDER_ALREADY_CAPTURED ORDER_ALREADY_AUTHORIZED ORDER_COMPLETED_OR_VOIDED INSTRUMENT_DECLINED
    CAPTURE_FULLY_REFUNDED REFUND_AMOUNT_EXCEEDED AUTHORIZATION_VOIDED PREVIOUSLY_VOIDED PREVIOUSLY_CAPTURED
    DUPLICATE_INVOICE_ID PAYEE_NOT_ENABLED_FOR_REFERENCE_TRANSACTIONS TRANSACTION_REFUSED
    RECEIVING_PREFERENCE_MANDATES_MANUAL_ACTION UNILATERAL VERIFICATION_REQUIRED PENDING_REVIEW ECHECK OTHER
    waiting reached approved completed voided declined cancelled expired unclear redirect refused unknown found not_found
    unavailable done pending failed soft hard ask_another_card ask_bank try_later fraud technical wallet card
    bank_transfer denied away paypal visa mastercard VISA MASTERCARD application/json return=representation
    application/json;charset=utf-8`),
  texts: wordsOf(`
    status intent rel method reason issue name user_action shipping_preference payment_method_preference landing_page usage_type
    store_in_vault type currency_code currency order kind state decline declineCategory refusal brand disputesUnknown
    content-type prefer final_capture`),
  numbers: wordsOf(`
    value amountMinor authorizedMinor capturedMinor refundedMinor refundPendingMinor feeMinor times`),
  times: wordsOf(
    'create_time update_time expiration_time expiresAt after before capturedAt seller_response_due_date since',
  ),
  addresses: wordsOf('href return_url cancel_url url returnUrl callbackUrl'),
  headers: wordsOf('content-type prefer paypal-request-id paypal-debug-id'),
  unkept: {
    '/v1/oauth2/token': {
      access_token: 'a-token-of-the-replay',
      token_type: 'Bearer',
      expires_in: 32_400,
      scope: '',
    },
  },
}

const ORDER = /^\/v2\/checkout\/orders\/[^/]+$/
const FINALIZE = /^\/v2\/checkout\/orders\/[^/]+\/(capture|authorize)$/
const isCall = ({ method, path }: RecordedExchange, verb: string, pattern: RegExp) =>
  method === verb && pattern.test(path.replace(/\?.*/, ''))
const isDone = ({ status }: RecordedExchange) => status === 200 || status === 201
const isOrder = (each: RecordedExchange) => isDone(each) && isCall(each, 'GET', ORDER)
const orderStatus = (each: RecordedExchange) => at(each, 'responseBody', 'status')
const PAYMENTS = ['responseBody', 'purchase_units', 0, 'payments'] as const
const either = (isTrue: boolean, instead: string) => (isTrue ? true : instead)
const listOf = (each: RecordedExchange, name: string) => (at(each, ...PAYMENTS, name) ?? []) as unknown[]

/** The sentences come from what the driver's code reads. Where `readOn` is null, no official document was found that says it. */
const ORDERS_2_13 = "2026-11-23, in PayPal's OpenAPI document Orders 2.13 of February 2024"
const PAYMENTS_2_5 = "2026-11-23, in PayPal's OpenAPI document Payments 2.5 of February 2024"
const ORDERS = 'https://developer.paypal.com/docs/api/orders/v2/'
const PAYMENTS_API = 'https://developer.paypal.com/docs/api/payments/v2/'

/** Judges an answer to a write by its status. */
const answersWith = (verb: string, pattern: RegExp, statuses: readonly string[]): Assumption['judge'] =>
  everyExchange((each) => {
    if (!isDone(each) || !isCall(each, verb, pattern)) return null
    const status = orderStatus(each)
    return either(statuses.includes(String(status)), `status is ${show(status)}`)
  })

const assumptions: Assumption[] = [
  {
    id: 'order_waits_for_payer',
    sentence: 'A new order is PAYER_ACTION_REQUIRED, or CREATED.',
    page: `${ORDERS}#orders_create`,
    readOn: null,
    how: 'an order is opened',
    judge: answersWith('POST', /^\/v2\/checkout\/orders$/, ['PAYER_ACTION_REQUIRED', 'CREATED']),
  },
  {
    id: 'order_names_page',
    sentence: 'A new order names the page for the buyer as payer-action, or as approve.',
    page: `${ORDERS}#orders_create`,
    readOn: null,
    how: 'an order is opened',
    judge: everyExchange((each) => {
      if (!isDone(each) || !isCall(each, 'POST', /^\/v2\/checkout\/orders$/)) return null
      const rels = ((at(each, 'responseBody', 'links') ?? []) as unknown[]).map((link) => at(link, 'rel'))
      return either(rels.includes('payer-action') || rels.includes('approve'), `links ${rels.join(', ')}`)
    }),
  },
  {
    id: 'new_order_is_201',
    sentence: 'Opening an order answers with 201 the first time, and with 200 when it is repeated.',
    page: 'https://developer.paypal.com/api/rest/reference/idempotency/',
    readOn: ORDERS_2_13,
    how: 'an order is opened',
    judge: everyExchange((each) => {
      if (!isCall(each, 'POST', /^\/v2\/checkout\/orders$/) || (each.status ?? 500) >= 400) return null
      return either(isDone(each), `status ${each.status}`)
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
        .filter((each) => isDone(each) && isCall(each, 'POST', /^\/v2\/checkout\/orders$/))
        .map((each) => at(each, 'requestBody', 'purchase_units', 0, 'custom_id'))
      const shown = all
        .filter(isOrder)
        .map((each) => at(each, 'responseBody', 'purchase_units', 0, 'custom_id'))
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
      return either(count === 0, `${count} payments`)
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
      return either(at(each, 'responseBody', 'update_time') === undefined, 'an update_time')
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
      return either(count > 0, 'no payment in the order')
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
      return either(typeof at(held, 'expiration_time') === 'string', 'no expiration_time')
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
        .map((each) => at(each, 'requestBody', 'custom_id'))
      const shown = all
        .filter(isOrder)
        .flatMap((each) => listOf(each, 'refunds'))
        .map((refund) => at(refund, 'custom_id'))
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
      const status = at(listOf(each, 'captures')[0], 'status')
      return either(
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
      return either(each.status === 204 || status === 'VOIDED', `${each.status} with status ${show(status)}`)
    }),
  },
]

export const paypalProof: DriverProof = { recordable, assumptions }
