/** Orders as text: one order, and the slip that lies in a parcel. */
import { MONEY_TEXTS } from '../../../acts/lists/orders.ts'
import type { CurrencyCode } from '../../../contract/fields.ts'
import {
  type ListedOrder,
  type OrderChange,
  type ShownOrder,
  spokenNumber,
} from '../../../operator/orders/orders.ts'
import { soldText } from '../../../operator/views/order.ts'
import { buyerFields } from '../../../orders/buyer.ts'
import { amount, moment, pairs, paragraphs } from '../../layout.ts'

const QUESTION_TEXT: Record<NonNullable<ListedOrder['question']>, string> = {
  part_returned: 'A part was refunded before the order was decided.',
  taken_back: 'It is paid, but it was refunded, reversed or disputed before the order was decided.',
  other_amount: 'The amount is not what the product costs now.',
  not_offered: 'The product is not sold any more.',
  part_captured: 'Only a part of the money was taken.',
  paid_twice: 'It was paid a second time. Refund one of the payments.',
}

const sumOf = ({ money }: ListedOrder) => amount(money.amountMinor, money.currency as CurrencyCode)
const isOwnReference = (reference: string) => !/^(wgt|lnk)_/.test(reference)

export function orderText(order: ShownOrder): string {
  const { number, reference, state, way, question, money, payments, history } = order
  const returned = money.refundedMinor > 0 && amount(money.refundedMinor, money.currency as CurrencyCode)
  return paragraphs(
    pairs([
      ['Order', spokenNumber(number)],
      ['Order id', isOwnReference(reference) ? reference : null],
      ['What', soldText(order)],
      ['Amount', sumOf(order)],
      ['Money', MONEY_TEXTS[state]],
      ['Returned', returned || null],
      ['Way', way],
      ['To decide', question && QUESTION_TEXT[question]],
      ['Payments', payments.map(({ paymentId, status }) => `${paymentId}  ${status}`)],
      ...buyerRows(order),
    ]),
    history.map(historyLine).join('\n'),
  )
}

const buyerRows = (order: ListedOrder): [string, string][] =>
  buyerFields(order.money).map(([key, text]) => [key.charAt(0).toUpperCase() + key.slice(1), text])

const DECIDED = { deliver: 'to deliver', ask: 'a person must decide', note: 'noted' } as const

function historyLine(change: OrderChange): string {
  const { at, kind, status, why, by, toWay, remark } = change
  const head = `  ${moment(at)}  `
  if (by === null) {
    const decided = DECIDED[kind as keyof typeof DECIDED] ?? kind
    return `${head}${status}: ${decided}${why ? `. ${QUESTION_TEXT[why]}` : ''}`
  }
  const did = toWay ? `moved to ${toWay}` : kind === 'answered' ? 'decided' : 'wrote'
  return `${head}${by} ${did}${remark ? `: ${remark}` : ''}`
}

export function slipText(order: ShownOrder): string {
  return paragraphs(
    pairs([
      ['Order', spokenNumber(order.number)],
      ['What', soldText(order)],
      ['Amount', sumOf(order)],
      ...buyerRows(order),
    ]),
  )
}
