/** What of an exchange with PayPal may be kept. */
import { type Recordable, wordsOf } from '../driver/proof.ts'

export const recordable: Recordable = {
  words: wordsOf(`
    token customer_id disputed_transaction_id
    https http v1 v2 v3 checkout orders capture authorize payments captures authorizations refunds refund void reauthorize vault
    setup-tokens payment-tokens customer disputes checkoutnow www.sandbox.paypal.com api-m.sandbox.paypal.com
    api.sandbox.paypal.com
    self approve payer-action up update edit GET POST PATCH DELETE CAPTURE AUTHORIZE PAY_NOW NO_SHIPPING NO_PREFERENCE
    IMMEDIATE_PAYMENT_REQUIRED MERCHANT ON_SUCCESS SETUP_TOKEN CREATED SAVED APPROVED VOIDED COMPLETED PAYER_ACTION_REQUIRED
    DECLINED PARTIALLY_REFUNDED PENDING REFUNDED FAILED CAPTURED DENIED PARTIALLY_CAPTURED CANCELLED VAULTED
    USD EUR AMD INSTANT ELIGIBLE NOT_ELIGIBLE PARTIALLY_ELIGIBLE VERIFIED UNVERIFIED
    UNPROCESSABLE_ENTITY INVALID_REQUEST RESOURCE_NOT_FOUND NOT_AUTHORIZED PERMISSION_DENIED INVALID_RESOURCE_ID
    ORDER_NOT_APPROVED ORDER_ALREADY_CAPTURED ORDER_ALREADY_AUTHORIZED ORDER_COMPLETED_OR_VOIDED INSTRUMENT_DECLINED
    CAPTURE_FULLY_REFUNDED REFUND_AMOUNT_EXCEEDED AUTHORIZATION_VOIDED PREVIOUSLY_VOIDED PREVIOUSLY_CAPTURED
    DUPLICATE_INVOICE_ID PAYEE_NOT_ENABLED_FOR_REFERENCE_TRANSACTIONS TRANSACTION_REFUSED
    RECEIVING_PREFERENCE_MANDATES_MANUAL_ACTION UNILATERAL VERIFICATION_REQUIRED PENDING_REVIEW ECHECK OTHER
    waiting reached approved completed voided declined cancelled expired unclear active revoked redirect refused unknown found not_found
    unavailable done pending failed soft hard ask_another_card ask_bank try_later fraud technical wallet card
    bank_transfer denied away paypal visa mastercard VISA MASTERCARD application/json return=representation
    application/json;charset=utf-8`),
  texts: wordsOf(`
    status intent rel method reason issue name user_action shipping_preference payment_method_preference landing_page usage_type
    store_in_vault type currency_code currency order kind state decline declineCategory refusal brand disputesUnknown
    content-type prefer final_capture`),
  numbers: wordsOf(`
    value amountMinor authorizedMinor capturedMinor refundedMinor refundPendingMinor feeMinor times`),
  times: wordsOf(
    'create_time update_time expiration_time expiresAt after before capturedAt seller_response_due_date since',
  ),
  addresses: wordsOf('href return_url cancel_url url returnUrl callbackUrl'),
  headers: wordsOf('content-type prefer paypal-request-id paypal-debug-id'),
  unkept: {
    '/v1/oauth2/token': {
      access_token: 'a-token-of-the-replay',
      token_type: 'Bearer',
      expires_in: 32_400,
      scope: '',
    },
  },
}
