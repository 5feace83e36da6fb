/**
 * The languages of the hosted pages, the mails and the texts that a merchant gives in several languages. The language list, the
 * links to other languages and the operator's flags follow this table. The database stores any code of this form, so that a new
 * language needs no migration.
 * `own`: the language's own name, in the list of languages. `english`: its name in help texts.
 */
export const LANGUAGES = {
  hy: { own: 'Հայերեն', english: 'Armenian' },
  ru: { own: 'Русский', english: 'Russian' },
  en: { own: 'English', english: 'English' },
} as const

export type Language = keyof typeof LANGUAGES
