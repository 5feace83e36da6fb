/** What a mail to a buyer about money begins with. Whoever moves the money may read it beforehand. */
import { type Locale, negotiateLocale } from './locale.ts'
import { type MessageKey, say } from './messages.ts'

export type MoneyMailKind = 'paid' | 'refunded' | 'refund_failed'

const TEXTS = {
  paid: ['mailPaidTitle', 'mailPaidText'],
  refunded: ['mailReturnedTitle', 'mailReturnedText'],
  refund_failed: ['mailReturnFailedTitle', 'mailReturnFailedText'],
} as const satisfies Record<MoneyMailKind, readonly [title: MessageKey, text: MessageKey]>

/** `amount`: as text. `name`: the shop's. */
export function moneyMailWords(
  locale: Locale,
  kind: MoneyMailKind,
  values: { amount: string; name: string },
): { title: string; text: string } {
  const [title, text] = TEXTS[kind]
  return { title: say(locale, title, values), text: say(locale, text) }
}

/** A buyer who never opened our pages has no language, and a newer version may have stored one that is unknown here. */
export function buyerLocale({ locale }: { locale: string | null }): Locale {
  return negotiateLocale(undefined, locale ?? undefined)
}
