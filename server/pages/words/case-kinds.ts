/** The names of what waits for a person, as the console and the mails to operators call it. */
import type { Locale } from './locale.ts'

const EN = {
  case_undecided: 'Payment with an unknown outcome',
  case_disputed: 'Disputed payment',
  case_operation: 'Refund or collection with an unknown outcome',
  case_receipt: 'Fiscal receipt that was not printed',
  case_warning: 'Payment with a warning',
  case_refund_limit: 'Token that has reached its refund limit',
  case_difference: 'Difference to a statement',
  case_callback_paused: 'Callback URL that has failed for days',
  case_events_given_up: 'Events that were given up',
  case_account: 'Provider account that is not well',
  case_approval: 'Something that needs a second person',
  case_restore: 'Restore that is not finished',
} as const
export type CaseKindKey = keyof typeof EN

/** A language without these words has them in English. */
export const CASE_KIND_WORDS = {
  en: EN,
  ru: {
    case_undecided: 'Платёж с неизвестным исходом',
    case_disputed: 'Оспоренный платёж',
    case_operation: 'Возврат или списание с неизвестным исходом',
    case_receipt: 'Ненапечатанный чек',
    case_warning: 'Платёж с предупреждением',
    case_refund_limit: 'Токен достиг предела возвратов',
    case_difference: 'Расхождение с выпиской',
    case_callback_paused: 'Адрес уведомлений не отвечает несколько дней',
    case_events_given_up: 'Недоставленные события',
    case_account: 'Счёт у провайдера не в порядке',
    case_approval: 'Нужен второй человек',
    case_restore: 'Незаконченное восстановление',
  },
  hy: {
    case_undecided: 'Անհայտ արդյունքով վճարում',
    case_disputed: 'Վիճարկված վճարում',
    case_operation: 'Անհայտ արդյունքով վերադարձ կամ գանձում',
    case_receipt: 'Չտպված կտրոն',
    case_warning: 'Զգուշացումով վճարում',
    case_refund_limit: 'Թոքենը հասել է վերադարձի սահմանին',
    case_difference: 'Տարբերություն քաղվածքի հետ',
    case_callback_paused: 'Ծանուցումների հասցեն օրերով չի աշխատում',
    case_events_given_up: 'Չառաքված իրադարձություններ',
    case_account: 'Մատակարարի հաշիվը կարգին չէ',
    case_approval: 'Պետք է երկրորդ մարդ',
    case_restore: 'Չավարտված վերականգնում',
  },
} satisfies Partial<Record<Locale, Record<CaseKindKey, string>>>
