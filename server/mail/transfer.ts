/** Writes the mails to a buyer who pays by a bank transfer, in the payment's language. */

import type { Context } from '../context.ts'
import { translate } from '../messages/translate.ts'
import { findBrand } from '../pages/brand/brand.ts'
import { transferRows } from '../pages/checkout/transfer-part.ts'
import { formatAmount, formatMoment, negotiateLocale } from '../pages/words/locale.ts'
import type { TransferInstructions } from '../payments/transfers/transfer.ts'
import { checkoutUrl } from '../payments/view.ts'
import type { BuyerMail } from '../storage/mails/mails.ts'
import type { Payment } from '../storage/payments/payment.ts'
import { buyerMessage, frameOf } from './buyer-message.ts'
import type { Message } from './smtp.ts'

/** `to`: the buyer's address. */
export async function writeTransfer(
  ctx: Context,
  mail: BuyerMail,
  { payment, transfer, to }: { payment: Payment; transfer: TransferInstructions; to: string },
): Promise<Message> {
  const locale = negotiateLocale(undefined, payment.locale ?? undefined)
  const brand = await findBrand(ctx, payment.merchantId, locale)
  const { name, timeZone } = brand
  const amount = formatAmount(payment.amountMinor, payment.currency, locale)
  const moment = formatMoment(transfer.keptUntil.toISOString(), locale, { year: true, timeZone }) ?? ''
  const isReminder = mail.kind === 'transfer_reminder'
  const letter = {
    locale,
    title: translate(locale, isReminder ? 'mails.remindTitle' : 'mails.transferTitle', {
      amount,
      name,
      moment,
    }),
    text: translate(locale, isReminder ? 'mails.remindText' : 'pages.transferText'),
    facts: [transferRows(locale, transfer, { amount, moment })],
    way: {
      label: translate(locale, 'mails.way'),
      address: `${checkoutUrl(ctx, payment.id)}?${new URLSearchParams({ locale })}`,
    },
    isWayLast: true as const,
    ...frameOf(ctx, locale, brand),
  }
  return buyerMessage(ctx, mail, { letter, brand, to })
}
