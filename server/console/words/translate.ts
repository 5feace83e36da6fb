import {
  type ArgumentsOf,
  fill,
  type MessageKey,
  translateAny as translateFromCatalogue,
  type Values,
} from '../../messages/translate.ts'
import type { MessageValues } from '../../messages/values.ts'
import { LOCALES, type Locale } from '../../pages/words/locale.ts'
import { ACCOUNT_WORDS } from './accounts.ts'
import { ACT_WORDS } from './acts.ts'
import { APPROVAL_WORDS } from './approvals.ts'
import { BANK_WORDS } from './bank.ts'
import { DAYS_WORDS } from './books/days.ts'
import { STATEMENT_COLUMNS_WORDS } from './books/statement-columns.ts'
import { STATEMENT_READING_WORDS } from './books/statement-reading.ts'
import { STATEMENTS_WORDS } from './books/statements.ts'
import { SUBSCRIPTIONS_WORDS } from './books/subscriptions.ts'
import { SYSTEM_WORDS } from './books/system.ts'
import { TOTALS_WORDS } from './books/totals.ts'
import { BRAND_WORDS } from './brand.ts'
import { CASE_WORDS } from './cases.ts'
import { COUNTER_WORDS } from './counter.ts'
import { DECISION_WORDS } from './decisions.ts'
import { DESK_WORDS } from './desk.ts'
import { EVENT_WORDS } from './events.ts'
import { EVIDENCE_WORDS } from './evidence.ts'
import { FINDING_WORDS } from './finding.ts'
import { FRAME_WORDS } from './frame.ts'
import { LIVE_WORDS } from './live.ts'
import { ORDER_WORDS } from './orders.ts'
import { PAYMENTS_WORDS } from './payments/list.ts'
import { PAYMENT_WORDS } from './payments/payment.ts'
import { PROOF_WORDS } from './payments/proof.ts'
import { AUDIT_WORDS } from './people/audit.ts'
import { OWN_SIGN_IN_WORDS } from './people/own-sign-in.ts'
import { SIGN_IN_WORDS } from './people/sign-in.ts'
import { USERS_WORDS } from './people/users.ts'
import { PRODUCTS_WORDS } from './products.ts'
import { REFUSAL_WORDS } from './refusals.ts'
import { SELLING_WORDS } from './selling.ts'
import { ACCESS_SETTING_WORDS } from './settings/access.ts'
import { ACCOUNT_SETTING_WORDS } from './settings/accounts.ts'
import { CALLBACK_CHECK_WORDS } from './settings/callback-checks.ts'
import { DEPLOYMENT_SETTING_WORDS } from './settings/deployment.ts'
import { SETTING_WORDS } from './settings/engine.ts'
import { LISTED_WORDS } from './settings/listed.ts'
import { LIST_SETTING_WORDS } from './settings/lists.ts'
import { REFUSED_SETTING_WORDS } from './settings/refused.ts'
import { SHOP_SETTING_WORDS, SITE_SETTING_WORDS } from './settings/shops.ts'
import { SHOP_WORDS } from './shop.ts'
import { TOLD_WORDS } from './told.ts'
import type { ConsoleValues } from './values.ts'

export const FAMILIES = [
  FRAME_WORDS,
  FINDING_WORDS,
  ACT_WORDS,
  DECISION_WORDS,
  COUNTER_WORDS,
  DESK_WORDS,
  APPROVAL_WORDS,
  EVENT_WORDS,
  ACCOUNT_WORDS,
  CASE_WORDS,
  CALLBACK_CHECK_WORDS,
  EVIDENCE_WORDS,
  SIGN_IN_WORDS,
  OWN_SIGN_IN_WORDS,
  DAYS_WORDS,
  PAYMENT_WORDS,
  PAYMENTS_WORDS,
  PROOF_WORDS,
  TOLD_WORDS,
  SHOP_WORDS,
  REFUSAL_WORDS,
  PRODUCTS_WORDS,
  SELLING_WORDS,
  BRAND_WORDS,
  LIVE_WORDS,
  SUBSCRIPTIONS_WORDS,
  ORDER_WORDS,
  TOTALS_WORDS,
  STATEMENT_COLUMNS_WORDS,
  STATEMENT_READING_WORDS,
  STATEMENTS_WORDS,
  SYSTEM_WORDS,
  USERS_WORDS,
  AUDIT_WORDS,
  SETTING_WORDS,
  SHOP_SETTING_WORDS,
  ACCESS_SETTING_WORDS,
  SITE_SETTING_WORDS,
  ACCOUNT_SETTING_WORDS,
  DEPLOYMENT_SETTING_WORDS,
  LIST_SETTING_WORDS,
  LISTED_WORDS,
  REFUSED_SETTING_WORDS,
  BANK_WORDS,
] as const
type KeysOf<Family> = Family extends { en: infer Words } ? keyof Words & string : never
export type ConsoleKey = KeysOf<(typeof FAMILIES)[number]>

/** No two families have a key in common: a test looks. Each language has every key, in English where a family lacks the language. */
export const CONSOLE_WORDS = Object.fromEntries(
  LOCALES.map((locale) => [locale, Object.assign({}, ...FAMILIES.map((each) => each[locale] ?? each.en))]),
) as Record<Locale, Record<ConsoleKey, string>>

type AllValues = ConsoleValues & MessageValues
type NeedOf<Key> = Key extends keyof AllValues ? AllValues[Key] : Record<never, never>
type ConsoleArguments<Key> = ArgumentsOf<NeedOf<Key>>

/** A text of the console, or of a catalogue: the texts move there with their acts. */
export type TextKey = ConsoleKey | MessageKey

export function translate<Key extends TextKey>(
  locale: Locale,
  key: Key,
  ...values: ConsoleArguments<Key>
): string
export function translate(locale: Locale, key: TextKey, values?: Values): string {
  return translateAny(locale, key, values)
}

/** As `translate`, for a key that is known only when the program runs. Its values are not checked. */
export function translateAny(locale: Locale, key: TextKey, values: Values = {}): string {
  const own: Partial<Record<string, string>> = CONSOLE_WORDS[locale]
  const text = own[key]
  return text === undefined ? translateFromCatalogue(locale, key, values) : fill(locale, text, values)
}
