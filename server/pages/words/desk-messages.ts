/** The mails to operators about new cases, in the language of OPERATOR_LOCALE. */
import { CASE_KIND_WORDS, type CaseKindKey } from './case-kinds.ts'
import type { Locale } from './locale.ts'

const EN = {
  many: '{count} new cases wait for a person',
  text: 'The service cannot decide this by itself. The desk shows both sides of each case.',
  open: 'Open the desk',
  more: 'More',
  moreText: '{count} cases are not listed here',
  command: 'Command',
  service: 'Service',
  kind: 'Case',
  merchant: 'Merchant',
  amount: 'Amount',
  since: 'Since',
  about: 'About',
  testTag: 'Test mode',
  test: 'Test mode. No real money moves.',
  why: 'This mail was sent to the address in OPERATOR_EMAIL. It says what was known when it was written.',
} as const
export type DeskKey = keyof typeof EN | CaseKindKey

type Messages = Record<DeskKey, string>
const DESK_MESSAGES: Partial<Record<Locale, Messages>> & { en: Messages } = {
  en: { ...CASE_KIND_WORDS.en, ...EN },
  ru: {
    ...CASE_KIND_WORDS.ru,
    many: 'Новых дел, которые ждут человека: {count}',
    text: 'Служба не может решить это сама. На столе видны обе стороны каждого дела.',
    open: 'Открыть стол',
    more: 'Ещё',
    moreText: 'здесь не перечислено дел: {count}',
    command: 'Команда',
    service: 'Служба',
    kind: 'Дело',
    merchant: 'Магазин',
    amount: 'Сумма',
    since: 'С',
    about: 'О чём',
    testTag: 'Тестовый режим',
    test: 'Тестовый режим. Настоящие деньги не движутся.',
    why: 'Это письмо отправлено на адрес из OPERATOR_EMAIL. В нём то, что было известно, когда оно написано.',
  },
  hy: {
    ...CASE_KIND_WORDS.hy,
    many: 'Մարդու սպասող նոր գործեր՝ {count}',
    text: 'Ծառայությունն ինքը չի կարող սա որոշել։ Սեղանին երևում են ամեն գործի երկու կողմերը։',
    open: 'Բացել սեղանը',
    more: 'Եվս',
    moreText: 'այստեղ չթվարկված գործեր՝ {count}',
    command: 'Հրաման',
    service: 'Ծառայություն',
    kind: 'Գործ',
    merchant: 'Խանութ',
    amount: 'Գումար',
    since: 'Սկսած',
    about: 'Ինչի մասին',
    testTag: 'Փորձնական ռեժիմ',
    test: 'Փորձնական ռեժիմ։ Իրական գումար չի շարժվում։',
    why: 'Այս նամակն ուղարկվել է OPERATOR_EMAIL-ի հասցեին։ Դրանում այն է, ինչ հայտնի էր գրելիս։',
  },
}

export function sayDesk(locale: Locale, key: DeskKey, values: Record<string, string> = {}): string {
  const messages = DESK_MESSAGES[locale] ?? DESK_MESSAGES.en
  return messages[key].replaceAll(/\{(\w+)\}/g, (hole, name: string) => values[name] ?? hole)
}
