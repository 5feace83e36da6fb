/** An order in the owner's words, as rows of a label and a value. The page and the mail have the same. */
import type { CurrencyCode } from '../../contract/fields.ts'
import { shortNumber } from '../../id.ts'
import type { ListedOrder, OrderCase, OrderChange } from '../../operator/orders/orders.ts'
import { buyerFields } from '../../orders/buyer.ts'
import type { MoneyState } from '../../orders/decide.ts'
import { formatAmount, formatMoment, type Locale } from '../words/locale.ts'
import { type OrderKey, sayOrder } from '../words/order-messages.ts'

export type Row = [label: string, text: string]
/** `timeZone`: of the shop. */
export type Reader = { locale: Locale; timeZone: string | undefined }

const MONEY: Record<MoneyState, OrderKey> = {
  paid: 'moneyPaid',
  held: 'moneyHeld',
  part_returned: 'moneyPartReturned',
  returned: 'moneyReturned',
  disputed: 'moneyDisputed',
  unknown: 'moneyUnknown',
  none: 'moneyNone',
}
const WAY: Record<ListedOrder['way'], OrderKey> = {
  new: 'wayNew',
  packed: 'wayPacked',
  sent: 'waySent',
  done: 'wayDone',
  cancelled: 'wayCancelled',
}
const QUESTION: Record<NonNullable<ListedOrder['question']>, OrderKey> = {
  part_returned: 'askPartReturned',
  taken_back: 'askTakenBack',
  other_amount: 'askOtherAmount',
  not_offered: 'askNotOffered',
  part_captured: 'askPartCaptured',
  paid_twice: 'askPaidTwice',
}
const CASE: Record<OrderCase['kind'], { title: OrderKey; text: OrderKey }> = {
  unknown: { title: 'unknownTitle', text: 'unknownText' },
  review: { title: 'reviewTitle', text: 'reviewText' },
  refund_failed: { title: 'refundCaseTitle', text: 'refundCaseText' },
  warning: { title: 'warningTitle', text: 'warningText' },
}
const FIELDS: Record<string, OrderKey> = {
  name: 'fieldName',
  phone: 'fieldPhone',
  email: 'fieldEmail',
  address: 'fieldAddress',
  note: 'fieldNote',
}

/** The number that the buyer can read aloud. */
export const numberOf = ({ paymentId }: Pick<ListedOrder, 'paymentId'>) => shortNumber(paymentId)
export const sumOf = ({ money }: Pick<ListedOrder, 'money'>, locale: Locale, minor = money.amountMinor) =>
  formatAmount(minor, money.currency as CurrencyCode, locale)

export function whatOf({ title, quantity, reference }: ListedOrder, locale: Locale): string {
  const count = quantity > 1 ? `, ${sayOrder(locale, 'quantity', { count: String(quantity) })}` : ''
  return `${title ?? reference}${count}`
}

export const moneyText = ({ state }: Pick<ListedOrder, 'state'>, locale: Locale) =>
  sayOrder(locale, MONEY[state])
export const wayText = (way: ListedOrder['way'], locale: Locale) => sayOrder(locale, WAY[way])
export const questionText = (question: NonNullable<ListedOrder['question']>, locale: Locale) =>
  sayOrder(locale, QUESTION[question])

export function orderRows(order: ListedOrder, { locale, timeZone }: Reader): Row[] {
  const { reference, question, createdAt, money } = order
  const isOwn = !/^(?:wgt|lnk)_/.test(reference)
  const rows: [OrderKey, string | null | undefined][] = [
    ['order', numberOf(order)],
    ['orderId', isOwn ? reference : null],
    ['what', whatOf(order, locale)],
    ['amount', sumOf(order, locale)],
    ['money', moneyText(order, locale)],
    ['returned', money.refundedMinor > 0 ? sumOf(order, locale, money.refundedMinor) : null],
    ['decide', question && questionText(question, locale)],
    ['way', wayText(order.way, locale)],
    ['since', formatMoment(createdAt.toISOString(), locale, { year: true, timeZone })],
  ]
  return rows.flatMap(([key, text]): Row[] => (text ? [[sayOrder(locale, key), text]] : []))
}

/** What the buyer wrote. A field of the shop's own program has the name that the program gave it. */
export function buyerRows({ money }: Pick<ListedOrder, 'money'>, locale: Locale): Row[] {
  return buyerFields(money).map(([name, text]) => {
    const key = FIELDS[name]
    return [key ? sayOrder(locale, key) : name, text]
  })
}

export function historyRow(change: OrderChange, { locale, timeZone }: Reader): Row {
  const { at, kind, by, toWay, remark, why } = change
  const when = formatMoment(at.toISOString(), locale, { timeZone }) ?? ''
  if (by === null) {
    const done: OrderKey = kind === 'deliver' ? 'didSale' : kind === 'ask' ? 'didAsk' : 'didNote'
    return [when, why ? questionText(why, locale) : sayOrder(locale, done)]
  }
  if (toWay !== null) return [when, sayOrder(locale, 'didMove', { by, way: wayText(toWay, locale) })]
  const said = kind === 'answered' ? 'didAnswer' : 'didRemark'
  return [when, sayOrder(locale, said, { by, text: remark ?? '' })]
}

/** What the service cannot decide by itself, and what the owner does meanwhile. */
export function caseText(
  { kind, paymentId, amountMinor, currency }: OrderCase,
  locale: Locale,
): { title: string; text: string } {
  const { title, text } = CASE[kind]
  const amount = formatAmount(amountMinor, currency as CurrencyCode, locale)
  return {
    title: sayOrder(locale, title, { amount, number: shortNumber(paymentId) }),
    text: sayOrder(locale, text),
  }
}
