/** What the driver relies on at PayPal where a payment method is saved. The guide's table has the same rows. */
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
const SETUPS = /^\/v3\/vault\/setup-tokens$/
const TOKEN = /^\/v3\/vault\/payment-tokens\/[^/]+$/
const SAVING = 'a PayPal account is saved, with --save'
const VAULT = 'https://developer.paypal.com/docs/api/payment-tokens/v3/'
const isDone = ({ status }: RecordedExchange) => status === 200 || status === 201
const statusIn = (each: RecordedExchange) => valueAt(each, 'responseBody', 'status')

export const SAVING_ASSUMPTIONS: Assumption[] = [
  {
    id: 'setup_names_page',
    sentence: 'A new setup token is PAYER_ACTION_REQUIRED, and names the page for the buyer as approve.',
    page: `${VAULT}#setup-tokens_create`,
    readOn: READ_ON,
    how: SAVING,
    judge: everyExchange((each) => {
      if (!isDone(each) || !isCall(each, 'POST', SETUPS)) return null
      const rels = ((valueAt(each, 'responseBody', 'links') ?? []) as unknown[]).map((link) =>
        valueAt(link, 'rel'),
      )
      const status = statusIn(each)
      const isAsAssumed = status === 'PAYER_ACTION_REQUIRED' && rels.includes('approve')
      return trueOr(isAsAssumed, `status ${show(status)}, links ${rels.join(', ')}`)
    }),
  },
  {
    id: 'approved_setup_says_so',
    sentence: 'A setup token that the buyer has approved is APPROVED, or VAULTED.',
    page: `${VAULT}#setup-tokens_get`,
    readOn: READ_ON,
    how: SAVING,
    judge: everyExchange((each) => {
      if (!isDone(each) || !isCall(each, 'GET', /^\/v3\/vault\/setup-tokens\/[^/]+$/)) return null
      const status = String(statusIn(each))
      if (['CREATED', 'PAYER_ACTION_REQUIRED'].includes(status)) return null
      return trueOr(['APPROVED', 'VAULTED'].includes(status), `status is ${status}`)
    }),
  },
  {
    id: 'setup_becomes_token',
    sentence: 'An approved setup token becomes a payment token with an id at once.',
    page: `${VAULT}#payment-tokens_create`,
    readOn: READ_ON,
    how: SAVING,
    judge: everyExchange((each) => {
      if (!isCall(each, 'POST', /^\/v3\/vault\/payment-tokens$/) || (each.status ?? 500) >= 400) return null
      const id = valueAt(each, 'responseBody', 'id')
      return trueOr(isDone(each) && typeof id === 'string', `status ${each.status}, id is ${typeof id}`)
    }),
  },
  {
    id: 'charge_completes_at_once',
    sentence: 'An order that is created with a saved account takes the money, and is COMPLETED at once.',
    page: 'https://developer.paypal.com/docs/api/orders/v2/#orders_create',
    readOn: READ_ON,
    how: `${SAVING}, and charged`,
    judge: everyExchange((each) => {
      const isCharge = valueAt(each, 'requestBody', 'payment_source', 'paypal', 'vault_id') !== undefined
      if (!isDone(each) || !isCharge || !isCall(each, 'POST', /^\/v2\/checkout\/orders$/)) return null
      const status = statusIn(each)
      return trueOr(status === 'COMPLETED', `status is ${show(status)}`)
    }),
  },
  {
    id: 'deleted_token_is_gone',
    sentence: 'A payment token is deleted with 204, and is not found after that.',
    page: `${VAULT}#payment-tokens_delete`,
    readOn: READ_ON,
    how: `${SAVING}, and removed`,
    judge: (calls) => {
      const all = calls.flatMap(({ exchanges }) => exchanges)
      const place = all.findIndex((each) => isCall(each, 'DELETE', TOKEN))
      if (place < 0) return { kind: 'not_seen' }
      const later = all.slice(place + 1).filter((each) => isCall(each, 'GET', TOKEN))
      const instead = [all[place], ...later].map((each) => each?.status)
      if (instead.some((status, index) => status !== (index === 0 ? 204 : 404)))
        return { kind: 'differs', instead: `status ${instead.join(', then ')}` }
      return { kind: later.length > 0 ? 'seen' : 'not_seen' }
    },
  },
]
