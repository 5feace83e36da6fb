/**
 * What Stripe's refusals are about, by their codes.
 * Source: Stripe's list of error codes, and its HTTP statuses: 401 for a key, 403 for a missing permission.
 */
import type { AccountRefusal, Refusal } from '../driver/refusal.ts'

type Refused = { code: string; param: string | null }

/** The codes with which Stripe refuses the account or the key, whatever was asked for and with whatever HTTP status. */
const ACCOUNT_CODES: Record<string, AccountRefusal> = {
  account_country_invalid_address: 'account',
  account_invalid: 'account',
  api_key_expired: 'credentials',
  country_unsupported: 'account',
  livemode_mismatch: 'credentials',
  not_allowed_on_standard_account: 'rights',
  platform_account_required: 'rights',
  platform_api_key_expired: 'credentials',
  secret_key_required: 'credentials',
  testmode_charges_only: 'account',
}

const ACCOUNT_REFUSALS: Record<AccountRefusal, string> = {
  credentials: 'Stripe does not accept the secret key. It may be revoked or expired.',
  rights:
    'The secret key lacks a permission for this request. Give the restricted key the permissions that the guide lists.',
  account: 'Stripe does not let this account do this. The first page of the Dashboard shows what is missing.',
}

/** Returns what is refused if Stripe refuses the account or the key; null for everything else. */
export function accountRefusalOf(status: number, code: string): AccountRefusal | null {
  if (status >= 500) return null
  const known = ACCOUNT_CODES[code]
  if (known) return known
  return status === 401 ? 'credentials' : status === 403 ? 'rights' : null
}

const KINDS: Record<string, Refusal> = {
  amount_too_small: 'amount',
  amount_too_large: 'amount',
}

/** Returns what a refusal of a new payment is about. One of the account is an AccountRefusedError. */
export function kindOf({ code }: Refused): Refusal {
  return KINDS[code] ?? 'request'
}

const REFUSALS: Record<string, string> = {
  amount_too_small: 'the amount is below the smallest one that Stripe takes in this currency',
  amount_too_large: 'the amount is above the largest one that Stripe takes',
  balance_insufficient: "the account's balance at Stripe is too low for this refund",
  capture_charge_authorization_expired: 'the authorization has expired',
  charge_already_captured: 'the payment is captured already',
  charge_already_refunded: 'the payment is refunded already',
  charge_disputed: 'the buyer disputes the payment, so it cannot be refunded',
  charge_expired_for_capture: 'the authorization has expired',
  payment_intent_unexpected_state: 'the payment at Stripe is in a state that does not allow this',
  refund_disputed_payment: 'the buyer disputes the payment, so it cannot be refunded',
  resource_missing: 'Stripe knows no such object in this account',
  account_invalid:
    'Stripe does not accept this account, or the key does not belong to it. The first page of the Dashboard shows what is missing.',
  testmode_charges_only:
    'Stripe has not activated this account yet. The first page of the Dashboard shows what is missing.',
}

/** Returns why Stripe refused, without Stripe's own text, which may contain personal data. */
export function describeRefusal({ code, param }: Refused): string {
  return REFUSALS[code] ?? `Stripe refused (${code}${param ? `, ${param}` : ''})`
}

/** The same for the account or the key, for the operator. */
export function describeAccountRefusal(refusal: AccountRefusal, code: string): string {
  return REFUSALS[code] ?? ACCOUNT_REFUSALS[refusal]
}
