/** The first sentence of a mail to a buyer about money. The person who moves the money can read it beforehand. */
import { type MessageKey, type PlainKey, translate } from '../../messages/translate.ts'
import { type Locale, negotiateLocale } from './locale.ts'

export type MoneyMailKind = 'paid' | 'refunded' | 'refund_failed'

const TEXTS = {
  paid: ['mails.paidTitle', 'mails.paidText'],
  refunded: ['mails.returnedTitle', 'mails.returnedText'],
  refund_failed: ['mails.returnFailedTitle', 'mails.returnFailedText'],
} as const satisfies Record<MoneyMailKind, readonly [title: MessageKey, text: PlainKey]>

/** `amount`: as text. `name`: the shop's. */
export function moneyMailWords(
  locale: Locale,
  kind: MoneyMailKind,
  values: { amount: string; name: string },
): { title: string; text: string } {
  const [title, text] = TEXTS[kind]
  return { title: translate(locale, title, values), text: translate(locale, text) }
}

/** A buyer who never opened our pages has no language, and a newer version may have stored one that is unknown here. */
export function buyerLocale({ locale }: { locale: string | null }): Locale {
  return negotiateLocale(undefined, locale ?? undefined)
}
