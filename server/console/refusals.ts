/**
 * What a verb has refused, in the words of the person who filled in the form. The one table of these words for all screens: first by the
 * reason, then by the field, then by the code.
 */
import { AppError, type ErrorCode, type Reason } from '../errors.ts'
import type { Locale } from '../pages/words/locale.ts'
import { type ConsoleKey, translateAny } from './words/translate.ts'

const BY_REASON: Record<Reason, ConsoleKey> = {
  changed_meanwhile: 'refused_changed',
  product_exists: 'refused_productExists',
  price_not_whole: 'refused_notWhole',
  quantity_wrong: 'refused_quantity',
  picture_heic: 'refused_heic',
  choice_wrong: 'refused_choice',
  origin_wrong: 'refused_origin',
  page_wrong: 'refused_page',
  not_reviewed: 'refused_notReviewed',
  not_onboarded: 'refused_notOnboarded',
  why_wrong: 'refused_why',
  mail_wrong: 'refused_email',
  test_mails_spent: 'refused_testMails',
  callback_is_set: 'refused_callbackIsSet',
  order_question: 'refused_orderQuestion',
  order_money_held: 'refused_moneyHeld',
  order_money_returned: 'refused_moneyReturned',
  order_money_disputed: 'refused_moneyDisputed',
  order_money_unknown: 'refused_moneyUnknown',
  order_money_none: 'refused_moneyNone',
  order_note_wrong: 'refused_note',
  order_settled: 'refused_settled',
  statement_columns: 'refused_statementColumns',
  statement_line: 'refused_statementLine',
  statement_empty: 'refused_statementEmpty',
  statement_long: 'refused_statementLong',
  statement_format: 'refused_statementFormat',
  statement_kind: 'refused_statementKind',
  statement_question: 'refused_statementQuestion',
  statement_changed: 'refused_statementChanged',
  statement_busy: 'refused_statementBusy',
  statement_meanwhile: 'refused_statementMeanwhile',
  statement_gone: 'refused_statementGone',
  person_named: 'refused_personNamed',
  person_email_taken: 'refused_personEmail',
  person_merchant: 'refused_personMerchant',
  last_administrator: 'refused_lastAdministrator',
  last_way_in: 'refused_lastWayIn',
  passkeys_many: 'refused_passkeysMany',
  part_taken: 'refused_partTaken',
  reference_amount: 'refused_referenceAmount',
  nobody_else: 'refused_nobodyElse',
  limit_above_own: 'refused_limitAboveOwn',
  token_above_own: 'refused_tokenAboveOwn',
  last_two_deciders: 'refused_lastTwo',
  proposed_already: 'refused_proposedAlready',
  labels_alike: 'refused_labelsAlike',
  token_no_money: 'refused_tokenNoMoney',
  token_over: 'refused_tokenOver',
  key_revoked: 'refused_keyRevoked',
  origin_not_listed: 'refused_originNotListed',
  origin_is_return: 'refused_originIsReturn',
  origin_last: 'refused_originLast',
  origin_none: 'refused_originNone',
  return_without_origin: 'refused_returnWithoutOrigin',
  shop_url_wrong: 'refused_shopUrl',
  no_domain: 'refused_noDomain',
  merchant_closed: 'refused_merchantClosed',
  merchant_busy: 'refused_merchantBusy',
  routes_line: 'refused_routesLine',
  routes_stray: 'refused_routesStray',
  routes_twice: 'refused_routesTwice',
  other_contract: 'refused_otherContract',
  account_settings: 'refused_accountSettings',
  account_currencies: 'refused_accountCurrencies',
  account_left: 'refused_accountLeft',
  account_taken: 'refused_accountTaken',
  account_of_service: 'refused_accountOfService',
  account_of_shop: 'refused_accountOfShop',
  account_for_all: 'refused_accountForAll',
  account_not_confirmed: 'refused_accountNotConfirmed',
  callback_none: 'refused_callbackNone',
  callback_url: 'refused_callbackUrl',
  secret_alone: 'refused_secretAlone',
  clock_live: 'refused_clockLive',
  clock_far: 'refused_clockFar',
  needs_two: 'refused_needsTwo',
  buyer_wrong: 'refused_buyer',
}

/** The names of fields in `errors`. */
const BY_FIELD: Record<string, ConsoleKey> = {
  amount: 'refused_amount',
  name: 'refused_name',
  description: 'refused_description',
  'field label': 'refused_label',
  picture: 'refused_picture',
  logo: 'refused_picture',
  text: 'refused_note',
  statement: 'statementMissing',
  colour: 'refused_colour',
  phone: 'refused_phone',
  email: 'refused_email',
  site: 'refused_site',
  termsUrl: 'refused_site',
  taxNumber: 'refused_taxNumber',
  timeZone: 'refused_timeZone',
  bankRecipient: 'refused_bankRecipient',
  bankName: 'refused_bankName',
  bankNumber: 'refused_bankNumber',
  bankCode: 'refused_bankCode',
  bankDays: 'refused_bankDays',
  bankTaken: 'refused_bankTaken',
}

const BY_CODE: Partial<Record<ErrorCode, ConsoleKey>> = {
  payment_not_eligible: 'refused_notEligible',
  refund_limit_reached: 'refused_refundLimit',
  operation_disabled: 'refused_disabled',
  operation_not_configured: 'refused_disabled',
  raw_card_data_rejected: 'refused_card',
  validation_failed: 'refused_other',
  idempotency_key_reused: 'refused_changed',
  product_unknown: 'refused_changed',
  provider_route_unsupported: 'refused_disabled',
  provider_route_not_ready: 'refused_disabled',
  provider_unavailable: 'refused_busy',
  request_in_progress: 'refused_busy',
}

/** Returns the words. @throws the error itself, if there is nothing that the reader can do about it */
export function refusalOf(locale: Locale, error: unknown): string {
  if (!(error instanceof AppError)) throw error
  const { reason, errors = {}, about } = error.details
  const keys: (ConsoleKey | undefined)[] = reason
    ? [BY_REASON[reason]]
    : Object.keys(errors).map((field) => BY_FIELD[field])
  const known = [...new Set(keys.filter((key) => key !== undefined))]
  const all = known.length > 0 ? known : [BY_CODE[error.code]].filter((key) => key !== undefined)
  if (all.length === 0) throw error
  return all.map((key) => translateAny(locale, key, about)).join(' ')
}
