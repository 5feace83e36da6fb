/**
 * What Stripe's decline codes mean: whether the card can ever pay again, and what the buyer can do.
 * Source: Stripe's list of decline codes with their next steps. A code that is not listed is soft: the buyer tries another
 * card.
 */
import type { Decline, Snapshot } from '../driver.ts'

type Category = NonNullable<Snapshot['declineCategory']>
type Meaning = { decline: Decline; declineCategory: Category }

const CODES: Record<Decline, Partial<Record<Category, string>>> = {
  soft: {
    ask_another_card: `card_velocity_exceeded card_decline_rate_limit_exceeded currency_not_supported incorrect_cvc
      incorrect_number incorrect_zip insufficient_funds invalid_cvc invalid_expiry_month invalid_expiry_year
      invalid_number withdrawal_count_limit_exceeded transaction_not_allowed`,
    ask_bank: `approve_with_id authentication_required call_issuer do_not_honor generic_decline no_action_taken
      not_permitted offline_pin_required online_or_offline_pin_required security_violation service_not_allowed
      payment_intent_authentication_failure`,
    try_later: 'issuer_not_available reenter_transaction try_again_later',
    technical: 'processing_error duplicate_transaction invalid_amount',
  },
  hard: {
    ask_another_card: `account_closed card_not_supported expired_card expired_payment_method invalid_account
      new_account_information_available testmode_decline`,
    ask_bank: `do_not_try_again pickup_card restricted_card revocation_of_all_authorizations
      revocation_of_authorization stop_payment_order`,
    fraud: 'fraudulent lost_card merchant_blacklist stolen_card',
  },
}

const MEANINGS = new Map<string, Meaning>(
  (Object.entries(CODES) as [Decline, Partial<Record<Category, string>>][]).flatMap(([decline, categories]) =>
    (Object.entries(categories) as [Category, string][]).flatMap(([declineCategory, codes]) =>
      codes.split(/\s+/).map((code) => [code, { decline, declineCategory }] as const),
    ),
  ),
)

const OTHER: Meaning = { decline: 'soft', declineCategory: 'ask_another_card' }

/** `declineCode` says more than `code`, which is often only `card_declined`. */
export function meaningOf(declineCode: string | null | undefined, code?: string | null): Meaning {
  return MEANINGS.get(declineCode ?? '') ?? MEANINGS.get(code ?? '') ?? OTHER
}
