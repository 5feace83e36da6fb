/** What of an exchange with Stripe may be kept. */
import { type Recordable, wordsOf } from '../driver/proof.ts'

export const recordable: Recordable = {
  words: wordsOf(`
    starting_after customer client_reference_id gte lte
    https http v1 checkout sessions payment_intents refunds disputes expire capture cancel payment_methods detach mandates
    checkout.stripe.com payment_intent.latest_charge.refunds payment_intent.latest_charge.balance_transaction latest_charge.refunds
    latest_charge.balance_transaction setup_intent.payment_method
    checkout.session payment_intent charge refund list balance_transaction setup_intent payment_method dispute
    open complete expired paid unpaid no_payment_required requires_payment_method requires_confirmation requires_action processing
    requires_capture succeeded canceled failed pending payment setup automatic automatic_async manual card card_present link always
    if_required off_session on_session requested_by_customer duplicate fraudulent abandoned expired_uncaptured_charge partial_capture
    usd eur amd USD EUR AMD true false 100 1 visa mastercard amex credit debit prepaid
    card_error invalid_request_error idempotency_error api_error card_declined generic_decline insufficient_funds expired_card
    authentication_required amount_too_small amount_too_large resource_missing parameter_unknown parameter_invalid_integer
    charge_already_captured charge_already_refunded payment_intent_unexpected_state expires_at customer_email
    waiting reached approved completed voided declined cancelled unclear active revoked redirect refused unknown found not_found unavailable done soft
    hard ask_another_card ask_bank try_later fraud technical wallet bank_transfer
    application/json application/x-www-form-urlencoded 2026-10-28.endive hosted_page hosted charge_refund`),
  texts: wordsOf(`
    object status payment_status mode type code decline_code currency reason capture_method confirmation_method ui_mode brand
    order kind state decline declineCategory refusal has_more limit param cancellation_reason setup_future_usage customer_creation
    expand enabled quantity off_session confirm content-type stripe-version idempotent-replayed captured livemode`),
  numbers: wordsOf(`
    amount amount_total amount_subtotal amount_captured amount_refunded amount_capturable amount_received unit_amount quantity
    amount_to_capture fee net limit amountMinor authorizedMinor capturedMinor refundedMinor refundPendingMinor feeMinor`),
  times: wordsOf('created expires_at expiresAt after before capturedAt due_by available_on capture_before'),
  addresses: wordsOf('url success_url cancel_url returnUrl callbackUrl return_url receipt_url'),
  headers: wordsOf('content-type stripe-version idempotency-key idempotent-replayed request-id'),
}
