/** How the simulated vPOS shows a payment: thirty fields, empty texts for what is absent, and amounts as decimals with a point. */
import { maskedPan } from '../rbs/cards.ts'
import { hooksOf } from '../rbs/faults.ts'
import type { Bank, SimPayment } from './bank.ts'

const STATES = ['started', 'approved', 'deposited', 'void', 'refunded', 'autoauthorized', 'declined']

/** Amounts are decimals with a point in JSON, as `10.0`, which no number of ours is written as. */
const amount = (minor: number) => `@${(minor / 100).toFixed(minor % 100 === 0 ? 1 : 2)}@`
export const toJson = (body: object) => JSON.stringify(body).replaceAll(/"@([\d.]+)@"/g, '$1')

/** ArCa's action code, with the digit 0 before it. */
export const responseCode = ({ actionCode }: SimPayment) => (actionCode === 0 ? '00' : `0${actionCode}`)

/** Armenian letters are lost at the bank. */
const atBank = (text: string) => text.replaceAll(/[^\p{ASCII}]/gu, '¿')

const CLOCK = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Asia/Yerevan',
  dateStyle: 'short',
  timeStyle: 'medium',
})
const timeOf = (at: Date) => CLOCK.format(at).replace(',', '')

export function presentPayment({ shop }: Bank, payment: SimPayment): object {
  const { statedAmount = (minor: number) => minor, statedCurrency = payment.currency } = hooksOf(
    payment.fault,
  )
  const { isPoor } = shop
  const { card, deposited, refunded, paidAt } = payment
  const optional = <Value>(value: Value) => (isPoor ? '' : value)
  const has = (minor: number) => !isPoor || minor > 0
  return {
    Amount: amount(statedAmount(payment.minor)),
    ...(has(payment.approved) && { ApprovedAmount: amount(payment.approved) }),
    ApprovalCode: paidAt ? optional('123456') : '',
    CardNumber: card === null ? '' : optional(maskedPan(card)),
    ClientName: card === null ? '' : optional('PLANTED HOLDER'),
    ClientEmail: '',
    Currency: statedCurrency,
    DateTime: optional(timeOf(paidAt ?? payment.initialisedAt)),
    ...(has(deposited) && { DepositedAmount: amount(deposited - refunded) }),
    Description: optional(paidAt ? 'Approved.' : 'Declined.'),
    MDOrderID: optional(payment.id),
    MerchantId: optional('99000001'),
    TerminalId: optional('99000002'),
    OrderID: payment.number,
    PaymentState: optional(`payment_${STATES[payment.status]}`),
    PaymentType: payment.isCharge ? 6 : 5,
    PrimaryRC: optional(payment.actionCode === 0 ? '00' : ''),
    ResponseCode: responseCode(payment),
    ExpDate: card === null ? '' : optional('203512'),
    ProcessingIP: optional('203.0.113.9'),
    OrderStatus: String(payment.status),
    CardHolderID: optional(payment.holder ?? ''),
    BindingID: '',
    ...(has(refunded) && { RefundedAmount: amount(refunded) }),
    Opaque: optional(payment.opaque),
    TrxnDescription: optional(atBank(payment.description)),
    rrn: optional(payment.id),
    ActionCode: optional(String(payment.actionCode)),
    ExchangeRate: '@0.0@',
    BankInfo: { BankName: '', BankCountryCode: optional('AM'), BankCountryName: optional('Armenia') },
  }
}

/** What `GetPaymentDetails` answers to a wrong password, and to some payments that nobody has tried to pay. */
export const NOTHING = {
  Amount: '@0.0@',
  Currency: '',
  Description: 'System Error',
  OrderID: '',
  OrderStatus: '',
  PaymentState: '',
  ResponseCode: '550',
  Opaque: '',
}
