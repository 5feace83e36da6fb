/** A subscription in words: its price, and what comes next or why nothing does. */
import type { SubscriptionRecord } from '../../operator/subscription-history.ts'
import { capitalized, formatAmount, type Locale } from '../../pages/words/locale.ts'
import { momentText } from '../parts.ts'
import { translate } from '../words/translate.ts'

type Terms = Pick<SubscriptionRecord, 'amountMinor' | 'currency' | 'interval'>

export function priceText(locale: Locale, { amountMinor, currency, interval }: Terms): string {
  return translate(locale, `price_${interval}`, { amount: formatAmount(amountMinor, currency, locale) })
}

function nextText(locale: Locale, record: SubscriptionRecord, timeZone: string): string {
  const { status, cancelReason, cancelledAt, nextChargeAt, amountMinor, currency } = record
  const amount = formatAmount(amountMinor, currency, locale)
  const when = momentText(status === 'cancelled' ? cancelledAt : nextChargeAt, locale, timeZone)
  if (status === 'cancelled')
    return translate(locale, 'subscriptionEnded', {
      when: when ?? '',
      why: translate(locale, `ended_${cancelReason ?? 'requested'}`),
    })
  return when === null
    ? translate(locale, 'chargeUnderWay')
    : translate(locale, `next_${status}`, { amount, when })
}

/** The price and what comes next, as sentences. */
export const termsText = (locale: Locale, record: SubscriptionRecord, timeZone: string): string =>
  translate(locale, 'subscriptionTerms', {
    price: capitalized(priceText(locale, record), locale),
    next: nextText(locale, record, timeZone),
  })
