/** Writes the mail of a receipt, a refund or a refund that failed after all, in the payment's language. */

import type { Context } from '../context.ts'
import { translate } from '../messages/translate.ts'
import { type Brand, findBrand } from '../pages/brand/brand.ts'
import { orderOf } from '../pages/checkout/payment-frame.ts'
import { HAS_RECEIPT } from '../pages/checkout/payment-view.ts'
import { findSoldProduct } from '../pages/pay/shown-product.ts'
import { webAddress } from '../pages/web-address.ts'
import { buyerLocale, type MoneyMailKind, moneyMailWords } from '../pages/words/buyer-mails.ts'
import { formatAmount, formatMoment, type Locale } from '../pages/words/locale.ts'
import { listPrintedReceipts, type PrintedReceipt } from '../payments/receipts/printed.ts'
import { checkoutUrl } from '../payments/view.ts'
import type { BuyerMail } from '../storage/mails/mails.ts'
import type { Payment } from '../storage/payments/payment.ts'
import { listPaymentChanges } from '../storage/payments/payment-changes.ts'
import { buyerMessage, frameOf } from './buyer-message.ts'
import type { Letter } from './letter.ts'
import type { Message } from './smtp.ts'

/** A mail about money that has moved. */
export type ReceiptMail = BuyerMail & { kind: MoneyMailKind }

/** `to`: the buyer's address. */
export async function writeReceipt(
  ctx: Context,
  mail: ReceiptMail,
  payment: Payment,
  to: string,
): Promise<Message> {
  const locale = buyerLocale(payment)
  const [brand, product, receipts, changes] = await Promise.all([
    findBrand(ctx, payment.merchantId, locale),
    findSoldProduct(ctx, payment, locale),
    listPrintedReceipts(ctx, payment),
    listPaymentChanges(ctx.db, payment.merchantId, payment.id),
  ])
  const paidAt = changes.find(({ toStatus }) => toStatus === 'authorized' || toStatus === 'paid')?.createdAt
  const description = product?.name ?? payment.description
  const letter = writeLetter(ctx, mail, payment, { locale, brand, description, receipts, paidAt })
  return buyerMessage(ctx, mail, { letter, brand, to })
}

type Facts = {
  locale: Locale
  brand: Brand
  description: string | null
  receipts: PrintedReceipt[]
  paidAt: Date | undefined
}

function writeLetter(ctx: Context, mail: ReceiptMail, payment: Payment, facts: Facts): Letter {
  const { locale, brand, receipts } = facts
  const { name } = brand
  const money = (minor: number) => formatAmount(minor, payment.currency, locale)
  const moment = (at: Date | undefined) =>
    at && formatMoment(at.toISOString(), locale, { year: true, timeZone: brand.timeZone })
  const hasReceipt = HAS_RECEIPT.includes(payment.status)
  const page = `${checkoutUrl(ctx, payment.id)}${hasReceipt ? '/receipt' : ''}`
  const groups = [
    paymentRows(mail, payment, facts, { money, moment }),
    ...receipts.map((each) => fiscalRows(locale, each, { money, moment })),
  ]
  return {
    locale,
    ...moneyMailWords(locale, mail.kind, { amount: money(mail.amountMinor), name }),
    facts: groups.map((group) => group.filter((row): row is [string, string] => !!row[1])),
    way: {
      label: translate(locale, hasReceipt ? 'pages.receiptWay' : 'mails.way'),
      address: `${page}?${new URLSearchParams({ locale })}`,
    },
    ...frameOf(ctx, locale, brand),
  }
}

type Row = [label: string, text: string | null | undefined]
type Formats = { money(minor: number): string; moment(at: Date | undefined): string | undefined }

function paymentRows(
  mail: ReceiptMail,
  { capturedMinor, refundedMinor, merchantOrderId, id: paymentId }: Payment,
  { locale, brand, description, paidAt }: Facts,
  { money, moment }: Formats,
): Row[] {
  // After a void the payment's sums are 0, but its mail is about money that was taken and went back.
  const isVoid = mail.kind === 'refunded' && capturedMinor === 0
  const returnedMinor = isVoid ? mail.refundedMinor : refundedMinor
  return [
    [translate(locale, 'pages.receiptFrom'), brand.name],
    [translate(locale, 'pages.purpose'), description],
    [translate(locale, 'pages.amountPaid'), capturedMinor > 0 ? money(capturedMinor) : null],
    [translate(locale, 'pages.paidAt'), moment(paidAt)],
    [translate(locale, 'pages.refundedAmount'), returnedMinor > 0 ? money(returnedMinor) : null],
    [translate(locale, 'pages.order'), orderOf({ merchantOrderId, paymentId })],
    [translate(locale, 'pages.paymentId'), paymentId],
    [translate(locale, 'pages.taxNumber').replace(/[:՝]$/, ''), brand.taxNumber],
  ]
}

/** Returns the cash register's own numbers. A tax office asks for them. */
function fiscalRows(
  locale: Locale,
  { kind, amountMinor, number, url, printed, issuedAt }: PrintedReceipt,
  { money, moment }: Formats,
): Row[] {
  return [
    [
      `${translate(locale, 'pages.fiscal')}: ${translate(locale, kind === 'sale' ? 'pages.receiptSale' : 'pages.receiptRefund')}`,
      money(amountMinor),
    ],
    [translate(locale, 'pages.receiptNumber'), number],
    [translate(locale, 'pages.receiptIssued'), moment(issuedAt)],
    ...Object.entries(printed ?? {}),
    [translate(locale, 'pages.receiptUrl'), webAddress(url ?? undefined)],
  ]
}
