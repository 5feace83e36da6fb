/** Every word a buyer can read. Inline: a second file would cost a round trip and break the integrity hash. */
type Messages = {
  /** `%s` is the price; without one it goes, with its spaces. */
  pay: string
  opening: string
  retry: string
  failed: string
}

export const MESSAGES = {
  en: {
    pay: 'Pay %s',
    opening: 'Opening checkout…',
    retry: 'Try again',
    failed: 'The payment could not be started. You have not been charged.',
  },
  hy: {
    pay: 'Վճարել %s',
    opening: 'Բացվում է վճարման էջը…',
    retry: 'Փորձել կրկին',
    failed: 'Չհաջողվեց սկսել վճարումը։ Գումար չի գանձվել։',
  },
  ru: {
    pay: 'Оплатить %s',
    opening: 'Открываем оплату…',
    retry: 'Повторить',
    failed: 'Не удалось начать оплату. Деньги не списаны.',
  },
  de: {
    pay: 'Jetzt %s bezahlen',
    opening: 'Kasse wird geöffnet…',
    retry: 'Erneut versuchen',
    failed: 'Die Zahlung konnte nicht gestartet werden. Es wurde nichts abgebucht.',
  },
  fr: {
    pay: 'Payer %s',
    opening: 'Ouverture du paiement…',
    retry: 'Réessayer',
    failed: 'Le paiement n’a pas pu démarrer. Aucun montant n’a été débité.',
  },
  es: {
    pay: 'Pagar %s',
    opening: 'Abriendo el pago…',
    retry: 'Reintentar',
    failed: 'No se pudo iniciar el pago. No se ha cobrado nada.',
  },
  ka: {
    pay: 'გადახდა %s',
    opening: 'იხსნება გადახდის გვერდი…',
    retry: 'სცადეთ ხელახლა',
    failed: 'გადახდის დაწყება ვერ მოხერხდა. თანხა არ ჩამოჭრილა.',
  },
  ar: {
    pay: 'ادفع %s',
    opening: 'جارٍ فتح صفحة الدفع…',
    retry: 'أعد المحاولة',
    failed: 'تعذّر بدء الدفع. لم يُخصم أي مبلغ.',
  },
} satisfies Record<string, Messages>

export type Locale = keyof typeof MESSAGES

/** The first wish that we can speak, by its primary subtag (`de-AT` is `de`); English when there is none. */
export function pickLocale(wishes: readonly (string | null | undefined)[]): Locale {
  for (const wish of wishes) {
    const tag = wish?.toLowerCase().split('-')[0]
    // hasOwn: a page that pollutes Object.prototype must not add a language.
    if (tag && Object.hasOwn(MESSAGES, tag)) return tag as Locale
  }
  return 'en'
}

/** The words before and after the price. Without a price there is only one piece. */
export function splitLabel(label: string, price: string | undefined): string[] {
  return price ? label.split('%s', 2) : [label.replace(/\s*%s\s*/, ' ').trim()]
}
