/**
 * Every text that a buyer can read. The texts are in the script itself: a second file would take one more request, and
 * the integrity hash would not cover it.
 */
type Messages = {
  /** `%s` stands for the price. Without a price it is removed, with the spaces around it. */
  pay: string
  opening: string
  retry: string
  /** The page's price was old. `%s` stands for the new one. */
  changed: string
  failed: string
}

export const MESSAGES = {
  en: {
    pay: 'Pay %s',
    opening: 'Opening checkout…',
    retry: 'Try again',
    changed: 'The price has changed: %s.',
    failed: 'The payment could not be started. You have not been charged.',
  },
  hy: {
    pay: 'Վճարել %s',
    opening: 'Բացվում է վճարման էջը…',
    retry: 'Փորձել կրկին',
    changed: 'Գինը փոխվել է՝ %s։',
    failed: 'Չհաջողվեց սկսել վճարումը։ Գումար չի գանձվել։',
  },
  ru: {
    pay: 'Оплатить %s',
    opening: 'Открываем оплату…',
    retry: 'Повторить',
    changed: 'Цена изменилась: %s.',
    failed: 'Не удалось начать оплату. Деньги не списаны.',
  },
  de: {
    pay: 'Jetzt %s bezahlen',
    opening: 'Kasse wird geöffnet…',
    retry: 'Erneut versuchen',
    changed: 'Der neue Preis: %s.',
    failed: 'Die Zahlung konnte nicht gestartet werden. Es wurde nichts abgebucht.',
  },
  fr: {
    pay: 'Payer %s',
    opening: 'Ouverture du paiement…',
    retry: 'Réessayer',
    changed: 'Le nouveau prix : %s.',
    failed: 'Le paiement n’a pas pu démarrer. Aucun montant n’a été débité.',
  },
  es: {
    pay: 'Pagar %s',
    opening: 'Abriendo el pago…',
    retry: 'Reintentar',
    changed: 'El nuevo precio: %s.',
    failed: 'No se pudo iniciar el pago. No se ha cobrado nada.',
  },
  ka: {
    pay: 'გადახდა %s',
    opening: 'იხსნება გადახდის გვერდი…',
    retry: 'სცადეთ ხელახლა',
    changed: 'ახალი ფასი: %s.',
    failed: 'გადახდის დაწყება ვერ მოხერხდა. თანხა არ ჩამოჭრილა.',
  },
  ar: {
    pay: 'ادفع %s',
    opening: 'جارٍ فتح صفحة الدفع…',
    retry: 'أعد المحاولة',
    changed: 'السعر الجديد: %s.',
    failed: 'تعذّر بدء الدفع. لم يُخصم أي مبلغ.',
  },
} satisfies Record<string, Messages>

export type Locale = keyof typeof MESSAGES

/** Returns the first language that we have, compared by primary subtag (`de-AT` is `de`). The default is English. */
export function pickLocale(wanted: readonly (string | null | undefined)[]): Locale {
  for (const language of wanted) {
    const tag = language?.toLowerCase().split('-')[0]
    // hasOwn, so that a name on Object.prototype is not mistaken for a language.
    if (tag && Object.hasOwn(MESSAGES, tag)) return tag as Locale
  }
  return 'en'
}

/** Returns the text before and after the price, or one text if there is no price. */
export function splitLabel(label: string, price: string | undefined): string[] {
  return price ? label.split('%s', 2) : [label.replace(/\s*%s\s*/, ' ').trim()]
}
