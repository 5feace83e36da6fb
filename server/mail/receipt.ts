/** Writes the mail of a receipt or a refund, in the payment's language. */
import type { Context } from '../context.ts'
import { findBrand } from '../http/pages/brand/brand.ts'
import { HAS_RECEIPT } from '../http/pages/checkout/payment-view.ts'
import { orderOf } from '../http/pages/checkout/slip.ts'
import { findSoldProduct } from '../http/pages/pay/shown-product.ts'
import { webAddress } from '../http/pages/web-address.ts'
import { formatAmount, formatMoment, type Locale } from '../http/pages/words/locale.ts'
import { say } from '../http/pages/words/messages.ts'
import { listPrintedReceipts, type PrintedReceipt } from '../payments/receipts/printed.ts'
import { checkoutUrl } from '../payments/view.ts'
import type { MailRecord } from '../storage/mails/mails.ts'
import { listPaymentChanges } from '../storage/payments/payment-changes.ts'
import type { PaymentRecord } from '../storage/payments/payments.ts'
import { htmlOf, type Letter, textOf } from './letter.ts'
import type { Message } from './smtp.ts'

/** The language of a payment whose buyer was never on our pages. */
const FALLBACK: Locale = 'en'

/** `to`: the buyer's address. */
export async function writeReceipt(
  ctx: Context,
  mail: MailRecord,
  payment: PaymentRecord,
  to: string,
): Promise<Message> {
  const locale = payment.locale ?? FALLBACK
  const [brand, product, receipts, changes] = await Promise.all([
    findBrand(ctx, payment.merchantId, locale),
    findSoldProduct(ctx, payment, locale),
    listPrintedReceipts(ctx, payment),
    listPaymentChanges(ctx.db, payment.merchantId, payment.id),
  ])
  const { currency, refundedMinor } = payment
  const money = (minor: number) => formatAmount(minor, currency, locale)
  const moment = (at: Date | undefined) =>
    at && formatMoment(at.toISOString(), locale, { year: true, timeZone: brand.timeZone })
  const { name } = brand
  const amount = money(mail.amountMinor)
  const isPaid = mail.kind === 'paid'
  const description = product?.name ?? payment.description
  const paidAt = changes.find(({ toStatus }) => toStatus === 'authorized' || toStatus === 'paid')?.createdAt
  const rows: [string, string | null | undefined][] = [
    [say(locale, 'receiptFrom'), name],
    [say(locale, 'purpose'), description],
    [say(locale, 'amountPaid'), money(payment.capturedMinor)],
    [say(locale, 'paidAt'), moment(paidAt)],
    [say(locale, 'refundedAmount'), refundedMinor > 0 ? money(refundedMinor) : null],
    [say(locale, 'order'), orderOf({ merchantOrderId: payment.merchantOrderId, paymentId: payment.id })],
    [say(locale, 'paymentId'), payment.id],
    [say(locale, 'taxNumber').replace(/[:՝]$/, ''), brand.taxNumber],
  ]
  const isTest = ctx.world === 'sandbox'
  const page = checkoutUrl(ctx, payment.id)
  const letter: Letter = {
    locale,
    test: isTest ? `${say(locale, 'ribbon')}. ${say(locale, 'ribbonText')}` : null,
    title: say(locale, isPaid ? 'mailPaidTitle' : 'mailReturnedTitle', { amount, name }),
    text: say(locale, isPaid ? 'mailPaidText' : 'mailReturnedText'),
    facts: [rows, ...receipts.map((each) => fiscalRows(locale, each, { money, moment }))].map((group) =>
      group.filter((row): row is [string, string] => !!row[1]),
    ),
    way: {
      label: say(locale, HAS_RECEIPT.includes(payment.status) ? 'receiptWay' : 'mailWay'),
      address: `${page}${HAS_RECEIPT.includes(payment.status) ? '/receipt' : ''}?${new URLSearchParams({ locale })}`,
    },
    contact: [brand.phone, brand.email, webAddress(brand.site)].filter((each) => each !== undefined),
    contactTitle: say(locale, 'contactTitle'),
    why: say(locale, 'mailWhy', { name }),
    brand: {
      ...brand,
      ...(brand.logo && { logo: { ...brand.logo, address: ctx.baseUrl + brand.logo.address } }),
    },
  }
  const from = ctx.config.mailFrom ?? ''
  return {
    messageId: `${mail.id}@${from.slice(from.lastIndexOf('@') + 1)}`,
    date: mail.createdAt,
    from: { name, address: from },
    to,
    ...(brand.email && { replyTo: brand.email }),
    subject: `${isTest ? `[${say(locale, 'ribbon')}] ` : ''}${letter.title}`,
    text: textOf(letter),
    html: htmlOf(letter),
  }
}

/** The cash register's own numbers: what a tax office asks for. */
function fiscalRows(
  locale: Locale,
  { kind, amountMinor, number, url, issuedAt }: PrintedReceipt,
  { money, moment }: { money(minor: number): string; moment(at: Date): string | undefined },
): [string, string | null | undefined][] {
  return [
    [
      `${say(locale, 'fiscal')}: ${say(locale, kind === 'sale' ? 'receiptSale' : 'receiptRefund')}`,
      money(amountMinor),
    ],
    [say(locale, 'receiptNumber'), number],
    [say(locale, 'receiptIssued'), moment(issuedAt)],
    [say(locale, 'receiptUrl'), webAddress(url ?? undefined)],
  ]
}
