/**
 * What a shop has to do about the newest state of a payment. These are the rules of the receiver kits.
 * Rule: the first payment that brings money for an order decides the order, once. Whatever looks wrong is for a person to decide.
 */
import type { PaymentStatus } from '../contract/payment.ts'
import type { News, OrderRecord, Question } from '../storage/orders/orders.ts'
import type { OrderPayment } from '../storage/orders/payments.ts'

/** What the shop asks for the payment. `isOffered`: false if the product is not sold any more. */
export type ShopPrice = {
  amountMinor: number
  currency: string
  title: string | null
  productId: string | null
  quantity: number
  isOffered: boolean
}

export type Decision = { kind: 'deliver' | 'ask' | 'note'; why: Question | null; news: News | null }

const TAKEN_BACK: readonly PaymentStatus[] = ['partially_refunded', 'refunded', 'reversed', 'disputed']
const PAID: readonly PaymentStatus[] = ['paid', 'partially_refunded']
/** A payment that never had money makes no order. */
const HAS_MONEY: readonly PaymentStatus[] = ['authorized', ...PAID, 'refunded', 'reversed', 'disputed']

export const isTakenBack = (status: PaymentStatus) => TAKEN_BACK.includes(status)
export const hasMoney = (status: PaymentStatus) => HAS_MONEY.includes(status)

/** `order`: as it was before. */
export function decide(
  payment: OrderPayment,
  price: ShopPrice | null,
  order: Pick<OrderRecord, 'decision' | 'paymentId'>,
): Decision {
  if (!PAID.includes(payment.status)) return note(payment, order)
  if (order.decision === null) {
    const why = questionAbout(payment, price)
    return why ? { kind: 'ask', why, news: 'case' } : { kind: 'deliver', why, news: 'sale' }
  }
  if (order.paymentId !== payment.paymentId) return { kind: 'ask', why: 'paid_twice', news: 'case' }
  return note(payment, order)
}

function note({ status, takenBack }: OrderPayment, { decision }: Pick<OrderRecord, 'decision'>): Decision {
  return { kind: 'note', why: null, news: newsOf(status, takenBack, decision !== null) }
}

/** Money that is held is a sale that somebody must capture. Money that is back after a refund or a dispute is news of these. */
function newsOf(status: PaymentStatus, takenBack: boolean, isDecided: boolean): News | null {
  if (status === 'disputed') return 'dispute'
  if (isTakenBack(status)) return 'refund'
  if (status === 'paid' && isDecided && takenBack) return 'refund'
  return status === 'authorized' ? 'sale' : null
}

/** Returns why a person must look before anything is delivered, or null. */
function questionAbout(payment: OrderPayment, price: ShopPrice | null): Question | null {
  const { status, takenBack, amountMinor, capturedMinor, currency } = payment
  if (status === 'partially_refunded') return 'part_returned'
  if (takenBack) return 'taken_back'
  if (!price?.isOffered) return 'not_offered'
  if (price.amountMinor !== amountMinor || price.currency !== currency) return 'other_amount'
  return capturedMinor === amountMinor ? null : 'part_captured'
}

export type MoneyState = 'paid' | 'held' | 'part_returned' | 'returned' | 'disputed' | 'unknown' | 'none'

const MONEY: Partial<Record<PaymentStatus, MoneyState>> = {
  paid: 'paid',
  authorized: 'held',
  partially_refunded: 'part_returned',
  refunded: 'returned',
  reversed: 'returned',
  disputed: 'disputed',
  status_unknown: 'unknown',
}

/** Returns the statuses of payments whose money is there. */
export function statusesOf(states: readonly MoneyState[]): PaymentStatus[] {
  return (Object.keys(MONEY) as PaymentStatus[]).filter((status) => states.includes(moneyOf({ status })))
}

/** Returns where the money of an order is now. `none`: it never came, or it was released. */
export function moneyOf({ status }: Pick<OrderPayment, 'status'>): MoneyState {
  return MONEY[status] ?? 'none'
}
