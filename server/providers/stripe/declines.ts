/**
 * What Stripe's codes of a declined payment mean: whether the card can ever pay again, and what the buyer can do.
 * Sources: Stripe's list of decline codes with their next steps, and the codes of errors in the declarations of the package. A code
 * that is not in the table is soft, the buyer tries another card, and a person is told about it.
 */

import { createWordReader, rows, type WordReader } from '../driver/words.ts'
import type { Decline, Snapshot } from '../driver.ts'

type Category = NonNullable<Snapshot['declineCategory']>
export type Meaning = { decline: Decline; declineCategory: Category }

const CODES: Record<Decline, Partial<Record<Category, string>>> = {
  soft: {
    ask_another_card: `card_velocity_exceeded card_decline_rate_limit_exceeded currency_not_supported incorrect_cvc
      incorrect_number incorrect_zip insufficient_funds invalid_cvc invalid_expiry_month
      invalid_expiry_year invalid_number withdrawal_count_limit_exceeded transaction_not_allowed
      card_declined incorrect_address incorrect_postal_code postal_code_invalid invalid_card_type
      bank_account_declined bank_account_unusable bank_account_restricted bank_account_unverified
      bank_account_verification_failed charge_exceeds_source_limit charge_exceeds_transaction_limit
      debit_not_authorized payment_method_customer_decline payment_method_provider_decline
      payment_method_not_available payment_method_currency_mismatch payment_method_microdeposit_failed
      payment_method_microdeposit_verification_amounts_invalid
      payment_method_microdeposit_verification_amounts_mismatch
      payment_method_microdeposit_verification_attempts_exceeded
      payment_method_microdeposit_verification_descriptor_code_mismatch
      payment_method_microdeposit_verification_timeout payment_intent_payment_attempt_expired
      payment_intent_payment_attempt_failed payment_intent_konbini_rejected_confirmation_number
      payment_intent_incompatible_payment_method setup_attempt_failed setup_intent_setup_attempt_expired
      acss_debit_session_incomplete cardholder_phone_number_required invalid_charge_amount`,
    ask_bank: `approve_with_id authentication_required call_issuer do_not_honor generic_decline no_action_taken
      not_permitted offline_pin_required online_or_offline_pin_required security_violation
      service_not_allowed payment_intent_authentication_failure setup_intent_authentication_failure
      authentication_failure approval_required refer_to_customer payment_intent_action_required
      three_d_secure_authentication_not_supported invalid_pin incorrect_pin pin_try_exceeded`,
    try_later: `issuer_not_available reenter_transaction try_again_later payment_method_provider_timeout
      payment_intent_rate_limit_exceeded three_d_secure_authentication_upstream_error`,
    technical: `processing_error duplicate_transaction invalid_amount payment_method_microdeposit_processing_error`,
    fraud: `request_blocked action_blocked highest_risk_level elevated_risk_level`,
  },
  hard: {
    ask_another_card: `account_closed card_not_supported expired_card expired_payment_method invalid_account
      new_account_information_available testmode_decline payment_method_bank_account_blocked
      payment_method_restricted payment_method_unsupported_type payment_method_unexpected_state
      no_account account_number_invalid routing_number_invalid sepa_unsupported_account
      bank_account_bad_routing_numbers token_already_used`,
    ask_bank: `do_not_try_again pickup_card restricted_card revocation_of_all_authorizations
      revocation_of_authorization stop_payment_order india_recurring_payment_mandate_canceled
      payment_intent_mandate_invalid setup_intent_mandate_invalid billing_invalid_mandate`,
    fraud: `fraudulent lost_card merchant_blacklist stolen_card`,
  },
}

/**
 * Errors of our own requests, and of parts of Stripe that this driver does not use. They say nothing about the buyer's means of
 * payment, so with a payment they are technical.
 */
const REQUESTS = `account_country_invalid_address account_error_country_change_requires_additional_steps
  account_information_mismatch account_invalid account_token_required_for_v2_account
  alipay_upgrade_required amount_too_large amount_too_small anomalous_money_movement_request
  api_key_expired application_fees_not_allowed balance_insufficient balance_invalid_parameter
  bank_account_exists bitcoin_upgrade_required capability_not_active
  capture_charge_authorization_expired capture_unauthorized_payment charge_already_captured
  charge_already_refunded charge_disputed charge_expired_for_capture charge_invalid_parameter
  charge_not_refundable clearing_code_unsupported country_code_invalid country_unsupported
  coupon_expired customer_max_payment_methods customer_max_subscriptions customer_session_expired
  customer_tax_location_invalid dispute_evidence_page_limit_exceeded email_invalid
  failed_tax_calculation financial_account_balance_does_not_support_currency
  financial_account_capability_not_enabled financial_account_capability_restricted
  financial_connections_account_inactive financial_connections_account_pending_account_numbers
  financial_connections_account_unavailable_account_numbers financial_connections_consent_locale_invalid
  financial_connections_consent_locale_unsupported
  financial_connections_no_successful_transaction_refresh forwarding_api_inactive
  forwarding_api_invalid_parameter forwarding_api_retryable_upstream_error
  forwarding_api_upstream_connection_error forwarding_api_upstream_connection_timeout
  forwarding_api_upstream_error idempotency_key_in_use instant_payouts_config_disabled
  instant_payouts_currency_disabled instant_payouts_limit_exceeded instant_payouts_unsupported
  intent_invalid_state intent_verification_method_missing invalid_canceled_subscription_fields
  invalid_characters invalid_mandate_reference_prefix_format invalid_source_usage invalid_tax_location
  invoice_no_customer_line_items invoice_no_payment_method_types invoice_no_subscription_line_items
  invoice_not_editable invoice_on_behalf_of_not_editable invoice_payment_intent_requires_action
  invoice_upcoming_none livemode_mismatch lock_timeout missing not_allowed_on_standard_account
  out_of_inventory ownership_declaration_not_allowed parameter_invalid_empty parameter_invalid_integer
  parameter_invalid_string_blank parameter_invalid_string_empty parameter_missing parameter_unknown
  parameters_exclusive payment_evaluation_on_api_version_not_supported payment_intent_invalid_parameter
  payment_intent_unexpected_state payment_method_bank_account_already_verified
  payment_method_billing_details_address_missing payment_method_configuration_failures
  payment_method_invalid_parameter payment_method_invalid_parameter_testmode payment_method_unactivated
  payout_reconciliation_not_ready payouts_limit_exceeded payouts_not_allowed platform_account_required
  platform_api_key_expired product_inactive progressive_onboarding_limit_exceeded rate_limit
  refund_disputed_payment resource_already_exists resource_missing return_intent_already_processed
  secret_key_required service_period_coupon_with_metered_tiered_item_unsupported
  setup_intent_invalid_parameter setup_intent_mobile_wallet_unsupported setup_intent_unexpected_state
  shipping_address_invalid shipping_calculation_failed siret_invalid sku_inactive
  smart_disputes_not_available state_unsupported status_transition_invalid storer_capability_missing
  storer_capability_not_active stripe_tax_inactive subscription_update_trial_after_billing_cycle_anchor
  tax_id_invalid tax_id_prohibited taxes_calculation_failed terminal_location_country_unsupported
  terminal_reader_busy terminal_reader_hardware_fault terminal_reader_invalid_location_for_activation
  terminal_reader_invalid_location_for_payment terminal_reader_offline terminal_reader_timeout
  testmode_charges_only tls_version_unsupported token_card_network_invalid token_in_use
  transfer_source_balance_parameters_mismatch transfers_not_allowed url_invalid`

const OTHER: Meaning = { decline: 'soft', declineCategory: 'ask_another_card' }

/** Every code that this version knows. */
export const DECLINE_CODES: Readonly<Record<string, Meaning>> = Object.fromEntries([
  ...rows<Meaning>({ decline: 'soft', declineCategory: 'technical' }, REQUESTS),
  ...(Object.entries(CODES) as [Decline, Partial<Record<Category, string>>][]).flatMap(
    ([decline, categories]) =>
      (Object.entries(categories) as [Category, string][]).flatMap(([declineCategory, codes]) =>
        rows({ decline, declineCategory }, codes),
      ),
  ),
])

/** `declineCode` says more than `code`, which is often only `card_declined`. */
export function meaningOf(
  declineCode: string | null | undefined,
  code?: string | null,
  reader: WordReader = createWordReader(),
): Meaning {
  const known = [declineCode, code].find((each) => each && Object.hasOwn(DECLINE_CODES, each))
  const reason = declineCode ?? code ?? ''
  if (reason === '') return OTHER
  const meaning = reader.read('decline code', DECLINE_CODES, reason, OTHER)
  return known ? (DECLINE_CODES[known] ?? meaning) : meaning
}
