/** An order in the owner's words, as rows of a label and a value. The page and the mail have the same. */

import type { CurrencyCode } from '../../contract/fields.ts'
import { shortNumber } from '../../id.ts'
import { type MessageKey, type PlainKey, translate } from '../../messages/translate.ts'
import type { ListedOrder, OrderCase, OrderChange } from '../../operator/orders/orders.ts'
import { buyerFields } from '../../orders/buyer.ts'
import type { MoneyState } from '../../orders/decide.ts'
import { formatAmount, formatMoment, type Locale } from '../words/locale.ts'

export type Row = [label: string, text: string]
/** `timeZone`: of the shop. */
export type Reader = { locale: Locale; timeZone: string | undefined }

const MONEY: Record<MoneyState, PlainKey> = {
  paid: 'orders.moneyPaid',
  held: 'orders.moneyHeld',
  part_returned: 'orders.moneyPartReturned',
  returned: 'orders.moneyReturned',
  disputed: 'orders.moneyDisputed',
  unknown: 'orders.moneyUnknown',
  none: 'orders.moneyNone',
}
const WAY: Record<ListedOrder['way'], PlainKey> = {
  new: 'orders.wayNew',
  packed: 'orders.wayPacked',
  sent: 'orders.waySent',
  done: 'orders.wayDone',
  cancelled: 'orders.wayCancelled',
}
const QUESTION: Record<NonNullable<ListedOrder['question']>, PlainKey> = {
  part_returned: 'orders.askPartReturned',
  taken_back: 'orders.askTakenBack',
  other_amount: 'orders.askOtherAmount',
  not_offered: 'orders.askNotOffered',
  part_captured: 'orders.askPartCaptured',
  paid_twice: 'orders.askPaidTwice',
}
const CASE = {
  unknown: { title: 'orders.unknownTitle', text: 'orders.unknownText' },
  review: { title: 'orders.reviewTitle', text: 'orders.reviewText' },
  refund_failed: { title: 'orders.refundCaseTitle', text: 'orders.refundCaseText' },
  warning: { title: 'orders.warningTitle', text: 'orders.warningText' },
} as const satisfies Record<OrderCase['kind'], { title: MessageKey; text: PlainKey }>
const FIELDS: Record<string, PlainKey> = {
  name: 'orders.fieldName',
  phone: 'orders.fieldPhone',
  email: 'orders.fieldEmail',
  address: 'orders.fieldAddress',
  note: 'orders.fieldNote',
}

/** The number that the buyer can read aloud. */
export const numberOf = ({ paymentId }: Pick<ListedOrder, 'paymentId'>) => shortNumber(paymentId)
export const sumOf = ({ money }: Pick<ListedOrder, 'money'>, locale: Locale, minor = money.amountMinor) =>
  formatAmount(minor, money.currency as CurrencyCode, locale)

export function whatOf({ title, quantity, reference }: ListedOrder, locale: Locale): string {
  const count = quantity > 1 ? `, ${translate(locale, 'orders.quantity', { count: quantity })}` : ''
  return `${title ?? reference}${count}`
}

export const moneyText = ({ state }: Pick<ListedOrder, 'state'>, locale: Locale) =>
  translate(locale, MONEY[state])
export const wayText = (way: ListedOrder['way'], locale: Locale) => translate(locale, WAY[way])
export const questionText = (question: NonNullable<ListedOrder['question']>, locale: Locale) =>
  translate(locale, QUESTION[question])

export function orderRows(order: ListedOrder, { locale, timeZone }: Reader): Row[] {
  const { reference, question, createdAt, money } = order
  const isOwn = !/^(?:wgt|lnk)_/.test(reference)
  const rows: [PlainKey, string | null | undefined][] = [
    ['orders.order', numberOf(order)],
    ['orders.orderId', isOwn ? reference : null],
    ['orders.what', whatOf(order, locale)],
    ['orders.amount', sumOf(order, locale)],
    ['orders.money', moneyText(order, locale)],
    ['orders.returned', money.refundedMinor > 0 ? sumOf(order, locale, money.refundedMinor) : null],
    ['orders.decide', question && questionText(question, locale)],
    ['orders.way', wayText(order.way, locale)],
    ['orders.since', formatMoment(createdAt.toISOString(), locale, { year: true, timeZone })],
  ]
  return rows.flatMap(([key, text]): Row[] => (text ? [[translate(locale, key), text]] : []))
}

type Written = Parameters<typeof buyerFields>[0]
/** `name`: of the field. `label`: its name for people. */
export type BuyerPart = { name: string; label: string; text: string }

/** What the buyer wrote. A field of the shop's own program has the name that the program gave it, which may be any word. */
export function buyerParts(written: Written, locale: Locale): BuyerPart[] {
  return buyerFields(written).map(([name, text]) => {
    const key = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined
    return { name, label: key ? translate(locale, key) : name, text }
  })
}

export const buyerRows = ({ money }: Pick<ListedOrder, 'money'>, locale: Locale): Row[] =>
  buyerParts(money, locale).map(({ label, text }) => [label, text])

export function historyRow(change: OrderChange, { locale, timeZone }: Reader): Row {
  const { at, kind, by, toWay, remark, why } = change
  const when = formatMoment(at.toISOString(), locale, { timeZone }) ?? ''
  if (by === null) {
    const decided =
      kind === 'deliver' ? 'orders.didSale' : kind === 'ask' ? 'orders.didAsk' : 'orders.didNote'
    const done: PlainKey = toWay === null ? decided : 'orders.didEarlier'
    return [when, why ? questionText(why, locale) : translate(locale, done)]
  }
  if (toWay !== null) return [when, translate(locale, 'orders.didMove', { by, way: wayText(toWay, locale) })]
  const messageKey = kind === 'answered' ? 'orders.didAnswer' : 'orders.didRemark'
  return [when, translate(locale, messageKey, { by, text: remark ?? '' })]
}

/** What the service cannot decide by itself, and what the owner does meanwhile. */
export function caseText(
  { kind, paymentId, amountMinor, currency }: OrderCase,
  locale: Locale,
): { title: string; text: string } {
  const { title, text } = CASE[kind]
  const amount = formatAmount(amountMinor, currency as CurrencyCode, locale)
  return {
    title: translate(locale, title, { amount, number: shortNumber(paymentId) }),
    text: translate(locale, text),
  }
}
