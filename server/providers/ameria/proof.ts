/** What the driver relies on at the bank. The guide's table has the same rows. */
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
import type { Operation } from './request.ts'

const MANUAL = "2026-11-29, in the bank's API Protocol Description of vPOS 3.1 (April 2026)"
const page = 'https://servicestest.ameriabank.am/VPOS/help'

const isOf = (each: RecordedExchange, ...operations: Operation[]) =>
  operations.some((operation) => isCall(each, 'POST', new RegExp(`/${operation}$`)))
const answer = (each: RecordedExchange, ...path: string[]) => valueAt(each, 'responseBody', ...path)
const isDetails = (each: RecordedExchange) =>
  isOf(each, 'GetPaymentDetails') && each.status === 200 && String(answer(each, 'OrderStatus') ?? '') !== ''
const statusIn = (each: RecordedExchange) => Number(answer(each, 'OrderStatus'))
const amountIn = (each: RecordedExchange, name: string) => Number(answer(each, name) ?? 0)
const isPaid = (each: RecordedExchange) => isDetails(each) && [2, 4].includes(statusIn(each))

const accepts = (...operations: Operation[]) =>
  everyExchange((each) =>
    isOf(each, ...operations)
      ? trueOr(answer(each, 'ResponseCode') === '00', `ResponseCode is ${show(answer(each, 'ResponseCode'))}`)
      : null,
  )

const assumptions: Assumption[] = [
  {
    id: 'ameria_payment_opens',
    sentence: 'The answer to InitPayment has a PaymentID, and 1 as ResponseCode.',
    page,
    readOn: MANUAL,
    how: 'an order is opened',
    judge: everyExchange((each) => {
      if (!isOf(each, 'InitPayment')) return null
      const [id, code] = [answer(each, 'PaymentID'), answer(each, 'ResponseCode')]
      return trueOr(typeof id === 'string' && id !== '' && Number(code) === 1, `${typeof id}, ${show(code)}`)
    }),
  },
  {
    id: 'ameria_untried_is_fault',
    sentence:
      'GetPaymentDetails of a payment that nobody has tried answers with HTTP 500 and one Message, or with 550.',
    page,
    readOn: null,
    how: 'an order is opened, and a question before the buyer pays',
    judge: everyExchange((each) => {
      if (!isOf(each, 'GetPaymentDetails') || isDetails(each)) return null
      const isFault = each.status === 500 && typeof answer(each, 'Message') === 'string'
      return trueOr(isFault || answer(each, 'ResponseCode') === '550', `status ${each.status}`)
    }),
  },
  {
    id: 'ameria_number_finds_payment',
    sentence:
      'GetPaymentId finds a payment by its OrderID before anybody has tried to pay, with 00 as ResponseCode.',
    page,
    readOn: null,
    how: 'an order is opened, and a question before the buyer pays',
    judge: everyExchange((each) => {
      if (!isOf(each, 'GetPaymentId') || answer(each, 'PaymentId') === '') return null
      return trueOr(
        answer(each, 'ResponseCode') === '00' && typeof answer(each, 'PaymentId') === 'string',
        `ResponseCode is ${show(answer(each, 'ResponseCode'))}`,
      )
    }),
  },
  {
    id: 'ameria_details_name_order',
    sentence: 'An answer about a payment has OrderID, OrderStatus, Amount and Currency.',
    page,
    readOn: MANUAL,
    how: 'the buyer pays',
    judge: everyExchange((each) => {
      if (!isDetails(each)) return null
      const missing = ['OrderID', 'OrderStatus', 'Amount', 'Currency'].filter(
        (name) => answer(each, name) === undefined || answer(each, name) === '',
      )
      return trueOr(missing.length === 0, `without ${missing.join(', ')}`)
    }),
  },
  {
    id: 'ameria_currency_is_number',
    sentence: 'The currency of a payment has three digits.',
    page,
    readOn: MANUAL,
    how: 'the buyer pays',
    judge: everyExchange((each) =>
      isDetails(each)
        ? trueOr(/^\d{3}$/.test(String(answer(each, 'Currency'))), show(answer(each, 'Currency')))
        : null,
    ),
  },
  {
    id: 'ameria_states_agree',
    sentence:
      'PaymentState and OrderStatus of a paid payment are payment_deposited and 2, or payment_refunded and 4.',
    page,
    readOn: MANUAL,
    how: 'the buyer pays',
    judge: everyExchange((each) => {
      const state = answer(each, 'PaymentState')
      if (!isPaid(each) || state === undefined || state === '') return null
      const wanted = statusIn(each) === 2 ? 'payment_deposited' : 'payment_refunded'
      return trueOr(state === wanted, show(state))
    }),
  },
  {
    id: 'ameria_deposited_falls',
    sentence: 'DepositedAmount and RefundedAmount of a paid payment add up to ApprovedAmount.',
    page,
    readOn: null,
    how: 'a refund, and a question after it',
    judge: everyExchange((each) => {
      if (!isPaid(each)) return null
      const [deposited, refunded] = [amountIn(each, 'DepositedAmount'), amountIn(each, 'RefundedAmount')]
      const sum = deposited + refunded
      return trueOr(
        Math.abs(sum - amountIn(each, 'ApprovedAmount')) < 0.001,
        `deposited ${deposited}, refunded ${refunded}`,
      )
    }),
  },
  {
    id: 'ameria_refund_is_accepted',
    sentence: 'RefundPayment with a part of the amount as decimal text is accepted with 00.',
    page,
    readOn: MANUAL,
    how: 'a refund',
    judge: accepts('RefundPayment'),
  },
  {
    id: 'ameria_capture_is_accepted',
    sentence: 'ConfirmPayment is accepted with 00 where the account works in two steps.',
    page,
    readOn: MANUAL,
    how: 'a capture, in two steps',
    judge: accepts('ConfirmPayment'),
  },
  {
    id: 'ameria_cancellation_is_accepted',
    sentence: 'CancelPayment is accepted with 00 within 72 hours after InitPayment.',
    page,
    readOn: MANUAL,
    how: 'a void, in two steps',
    judge: accepts('CancelPayment'),
  },
  {
    id: 'ameria_card_is_listed',
    sentence: 'GetBindings lists a saved card under our CardHolderID, with IsAvtive true.',
    page,
    readOn: MANUAL,
    how: 'a card is saved',
    judge: everyExchange((each) => {
      const list = answer(each, 'CardBindingFileds')
      if (!isOf(each, 'GetBindings') || !Array.isArray(list) || list.length === 0) return null
      return trueOr(
        list.every(
          (one) =>
            typeof valueAt(one, 'IsAvtive') === 'boolean' && valueAt(one, 'CardHolderID') !== undefined,
        ),
        'a card without CardHolderID or IsAvtive',
      )
    }),
  },
]

export const ameriaProof: DriverAssumptions = { recordable, assumptions }
