/**
 * The button's texts. English is in the script. The texts of another language come with the snippet, in its attribute `texts`, or from
 * the payment server: see language.ts. They stand in the folder `languages`.
 */
export type Messages = {
  /** `%s` stands for the price. Without a price it is removed, with the spaces around it. */
  pay: string
  opening: string
  retry: string
  /** The page's price was old. `%s` stands for the new one. */
  changed: string
  failed: string
  /** The text of a link, where the page may not leave. */
  newTab: string
}

export const ENGLISH: Messages = {
  pay: 'Pay %s',
  opening: 'Opening checkout…',
  retry: 'Try again',
  changed: 'The price has changed: %s.',
  failed: 'The payment could not be started. You have not been charged.',
  newTab: 'Open the payment page in a new tab',
}

/** Each but English has a file in the folder `languages`. */
export const LOCALES = ['en', 'hy', 'ru', 'de', 'fr', 'es', 'ka', 'ar'] as const
export type Locale = (typeof LOCALES)[number]

/** Returns the first language that we have, compared by primary subtag (`de-AT` is `de`). The default is English. */
export function pickLocale(wanted: readonly (string | null | undefined)[]): Locale {
  for (const language of wanted) {
    const tag = language?.toLowerCase().split('-')[0]
    const found = LOCALES.find((locale) => locale === tag)
    if (found) return found
  }
  return 'en'
}

/** Returns the text before and after the price, or one text if there is no price. */
export function splitLabel(label: string, price: string | undefined): string[] {
  return price ? label.split('%s', 2) : [label.replace(/\s*%s\s*/, ' ').trim()]
}
