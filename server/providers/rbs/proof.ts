/** What the driver relies on at the gateway. The guide's table has the same rows. */
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
import type { Method } from './request.ts'

const MANUAL = "2026-11-29, in the manual of ArCa's gateway (Ipay Merchant API Manual 1.55.1.0 of 2023)"
const page = 'https://dev.bpcbt.com/en/integration/api/rest.html'

const isOf = (each: RecordedExchange, ...methods: Method[]) =>
  each.status === 200 &&
  methods.some((method) => isCall(each, 'POST', new RegExp(`/${method.replace('.', '\\.')}$`)))
const answer = (each: RecordedExchange, ...path: string[]) => valueAt(each, 'responseBody', ...path)
const requestField = (each: RecordedExchange, name: string) => valueAt(each, 'requestBody', name)
/** Nobody knows what a code that is no digit says. */
const isDone = (each: RecordedExchange) => Number(answer(each, 'errorCode') ?? 0) === 0
const isStatus = (each: RecordedExchange) => isOf(each, 'getOrderStatusExtended.do') && isDone(each)
const isRegistered = (each: RecordedExchange) =>
  isOf(each, 'register.do', 'registerPreAuth.do') && isDone(each)
const wordOf = (each: RecordedExchange) => Number(answer(each, 'orderStatus'))
const amountIn = (each: RecordedExchange, name: string) =>
  Number(answer(each, 'paymentAmountInfo', name) ?? 0)
const isPaid = (each: RecordedExchange) => isStatus(each) && [2, 4].includes(wordOf(each))

const accepts = (...methods: Method[]) =>
  everyExchange((each) =>
    isOf(each, ...methods) ? trueOr(isDone(each), `errorCode is ${show(answer(each, 'errorCode'))}`) : null,
  )

const assumptions: Assumption[] = [
  {
    id: 'rbs_order_opens_with_page',
    sentence: 'The answer to a registration has orderId and formUrl.',
    page,
    readOn: MANUAL,
    how: 'an order is opened',
    judge: everyExchange((each) => {
      if (!isRegistered(each)) return null
      const [id, url] = [answer(each, 'orderId'), answer(each, 'formUrl')]
      return trueOr(typeof id === 'string' && typeof url === 'string', `${typeof id}, ${typeof url}`)
    }),
  },
  {
    id: 'rbs_number_comes_back',
    sentence: 'An answer about an order has its orderNumber, amount, orderStatus and actionCode.',
    page,
    readOn: MANUAL,
    how: 'an order is opened, and a question about it',
    judge: everyExchange((each) => {
      if (!isStatus(each)) return null
      const names = ['orderNumber', 'amount', 'orderStatus', 'actionCode']
      const missing = names.filter((name) => answer(each, name) === undefined)
      return trueOr(missing.length === 0, `without ${missing.join(', ')}`)
    }),
  },
  {
    id: 'rbs_currency_is_number',
    sentence: 'An answer about an order has its currency as three digits.',
    page,
    readOn: MANUAL,
    how: 'an order is opened, and a question about it',
    judge: everyExchange((each) => {
      if (!isStatus(each)) return null
      const currency = answer(each, 'currency')
      return trueOr(/^\d{3}$/.test(String(currency)), `currency is ${show(currency)}`)
    }),
  },
  {
    id: 'rbs_new_order_is_zero',
    sentence: 'Until the buyer pays, orderStatus is 0 and actionCode is -100.',
    page,
    readOn: MANUAL,
    how: 'a question before the buyer pays',
    judge: everyExchange((each) => {
      if (!isStatus(each) || wordOf(each) !== 0) return null
      const code = Number(answer(each, 'actionCode'))
      return trueOr(code === -100, `actionCode is ${code}`)
    }),
  },
  {
    id: 'rbs_amounts_are_shown',
    sentence: 'An answer about a paid order has paymentAmountInfo with depositedAmount (version 03).',
    page,
    readOn: MANUAL,
    how: 'the buyer pays',
    judge: everyExchange((each) => {
      if (!isPaid(each)) return null
      const info = answer(each, 'paymentAmountInfo')
      return trueOr(valueAt(info, 'depositedAmount') !== undefined, `paymentAmountInfo is ${typeof info}`)
    }),
  },
  {
    id: 'rbs_action_code_is_zero',
    sentence: 'The actionCode of a paid order is 0.',
    page,
    readOn: MANUAL,
    how: 'the buyer pays',
    judge: everyExchange((each) => {
      if (!isPaid(each)) return null
      return trueOr(
        Number(answer(each, 'actionCode')) === 0,
        `actionCode is ${show(answer(each, 'actionCode'))}`,
      )
    }),
  },
  {
    id: 'rbs_hold_is_one',
    sentence: 'The orderStatus of an order that holds money is 1.',
    page,
    readOn: MANUAL,
    how: 'the buyer pays in two steps',
    judge: everyExchange((each) => {
      if (!isStatus(each) || amountIn(each, 'approvedAmount') === 0) return null
      if (amountIn(each, 'depositedAmount') > 0) return null
      return trueOr(wordOf(each) === 1, `orderStatus is ${wordOf(each)}`)
    }),
  },
  {
    id: 'rbs_capture_is_accepted',
    sentence: 'A capture by deposit.do with an amount is accepted with code 0.',
    page,
    readOn: MANUAL,
    how: 'a capture, in two steps',
    judge: accepts('deposit.do'),
  },
  {
    id: 'rbs_reversal_is_accepted',
    sentence: 'A reversal by reverse.do without an amount is accepted with code 0 on the day of the payment.',
    page,
    readOn: MANUAL,
    how: 'a void, in two steps',
    judge: accepts('reverse.do'),
  },
  {
    id: 'rbs_refund_is_accepted',
    sentence: 'A refund by refund.do with an amount is accepted with code 0.',
    page,
    readOn: MANUAL,
    how: 'a refund',
    judge: accepts('refund.do'),
  },
  {
    id: 'rbs_refund_is_summed',
    sentence: 'After a refund orderStatus is 4, and refundedAmount is the sum of all refunds.',
    page,
    readOn: MANUAL,
    how: 'a refund, and a question after it',
    judge: everyExchange((each) => {
      if (!isStatus(each) || amountIn(each, 'refundedAmount') === 0) return null
      return trueOr(wordOf(each) === 4, `orderStatus is ${wordOf(each)}`)
    }),
  },
  {
    id: 'rbs_deposited_adds_up',
    sentence: 'The depositedAmount is the amount of the order, or what refunds have left of it.',
    page,
    readOn: null,
    how: 'a refund, and a question after it',
    judge: everyExchange((each) => {
      if (!isPaid(each) || requestField(each, 'orderId') === undefined) return null
      const [deposited, refunded] = [amountIn(each, 'depositedAmount'), amountIn(each, 'refundedAmount')]
      const approved = amountIn(each, 'approvedAmount') || Number(answer(each, 'amount'))
      const adds = [deposited, deposited + refunded].some((sum) => sum <= approved && sum >= refunded)
      return trueOr(adds, `deposited ${deposited}, refunded ${refunded}`)
    }),
  },
]

export const rbsProof: DriverAssumptions = { recordable, assumptions }
