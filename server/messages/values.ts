/** Written by `npm run generate -- messages` from the English catalogues: what each message needs. */
type None = Record<never, never>

export type MessageValues = {
  'errors.missing_token.message': None
  'errors.missing_token.hint': None
  'errors.invalid_token.message': None
  'errors.invalid_token.hint': None
  'errors.https_required.message': None
  'errors.https_required.hint': None
  'errors.origin_missing.message': None
  'errors.origin_missing.hint': None
  'errors.origin_not_trusted.message': None
  'errors.origin_not_trusted.hint': None
  'errors.widget_key_invalid.message': None
  'errors.widget_key_invalid.hint': None
  'errors.insufficient_scope.message': None
  'errors.payment_not_found.message': None
  'errors.operation_not_found.message': None
  'errors.token_not_found.message': None
  'errors.subscription_not_found.message': None
  'errors.not_found.message': None
  'errors.method_not_allowed.message': None
  'errors.operation_disabled.message': None
  'errors.refund_limit_reached.message': None
  'errors.payment_not_eligible.message': None
  'errors.fiscalization_disabled.message': None
  'errors.receipt_already_issued.message': None
  'errors.payload_too_large.message': None
  'errors.unsupported_media_type.message': None
  'errors.unsupported_media_type.hint': None
  'errors.malformed_request.message': None
  'errors.request_timeout.message': None
  'errors.address_too_long.message': None
  'errors.expectation_failed.message': None
  'errors.headers_too_large.message': None
  'errors.validation_failed.message': None
  'errors.invalid_json.message': None
  'errors.raw_card_data_rejected.message': None
  'errors.raw_card_data_rejected.hint': None
  'errors.idempotency_key_required.message': None
  'errors.idempotency_key_reused.message': None
  'errors.idempotency_key_reused.hint': None
  'errors.provider_route_unsupported.message': None
  'errors.provider_route_not_ready.message': None
  'errors.amount_mismatch.message': None
  'errors.product_unknown.message': None
  'errors.product_unknown.hint': None
  'errors.amount_chosen_by_buyer.message': None
  'errors.amount_chosen_by_buyer.hint': None
  'errors.return_url_not_allowed.message': None
  'errors.rate_limited.message': None
  'errors.internal.message': None
  'errors.operation_not_configured.message': None
  'errors.provider_unavailable.message': None
  'errors.storage_unavailable.message': None
  'errors.request_in_progress.message': None
  'errors.value.required': None
  'errors.value.wrongType': { given: string; wanted: string }
  'errors.value.wrongNumber': { wanted: string }
  'errors.value.type.string': None
  'errors.value.type.number': None
  'errors.value.type.int': None
  'errors.value.type.boolean': None
  'errors.value.type.object': None
  'errors.value.type.array': None
  'errors.value.type.null': None
  'errors.value.type.otherWanted': None
  'errors.value.type.otherGiven': None
  'errors.value.oneOf': { count: number; values: string }
  'errors.value.format.email': None
  'errors.value.format.url': None
  'errors.value.format.datetime': None
  'errors.value.format.other': None
  'errors.value.empty': None
  'errors.value.atLeast': { limit: string }
  'errors.value.atMost': { limit: string }
  'errors.value.tooShort': { limit: number }
  'errors.value.tooLong': { limit: number }
  'errors.value.tooFew': { limit: number }
  'errors.value.tooMany': { limit: number }
  'errors.value.multipleOf': { divisor: string }
  'errors.value.unknownKey': None
  'errors.value.invalidKey': None
  'errors.value.invalidElement': None
  'errors.value.invalidUnion': None
  'errors.value.notAllowed': None
}
