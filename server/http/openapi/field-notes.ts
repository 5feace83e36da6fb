/** What each field means, by its name. A name means the same everywhere, unless `Schema.field` describes it for one schema. */
const NOTES: Record<string, string> = {
  ok: 'True if the request succeeded.',
  id: 'The identifier of this object. Compare it as a whole, and do not read its parts.',
  paymentId: 'The payment’s identifier, such as `pay_test_01k9zq…`.',
  merchantOrderId: 'Your own, stable reference for the order. Every response and event repeats it.',
  provider: 'The provider route. If it is left out, the service uses its default route.',
  providerRoute: 'The provider route. If it is left out, the service uses its default route.',
  amountMinor: 'The amount in minor units: `1900` is 19.00 USD, and `190000` is 1 900 AMD.',
  amount: 'The amount in major units as a decimal, such as `"15.00"`: text is safer than a number.',
  currency: 'ISO 4217 code.',
  status: 'The payment’s status. Only `paid` allows fulfilment.',
  fiscalStatus:
    'The status of the fiscal receipt. `failed`: a retry can print it. `correction_required`: money moved and its receipt is missing or unclear, or the receipt of a refund that failed after all was printed. A change sends no event.',
  checkoutUrl: 'The hosted checkout. Send the buyer here.',
  providerCheckoutUrl: 'The provider’s own page, while the payment can still be paid there.',
  processingSince:
    'The buyer has finished, and the provider has been working on the payment since then: a review, or a bank debit that takes days. Do not ask the buyer to pay again. Absent when it has decided.',
  customer: 'Who pays, if you know it.',
  email: 'E-mail address.',
  phone: 'Phone number.',
  name: 'Name, as people see it.',
  metadata:
    'Your own data: at most 50 keys, 4 levels and 8 KB. No secrets and no card data. In the sandbox, `sandboxFault` names a fault of the simulated bank.',
  createdAt: 'When it was created: ISO 8601, UTC.',
  updatedAt: 'When it last changed: ISO 8601, UTC.',
  returnUrl: 'Where the buyer’s browser goes afterwards. Its arrival there proves nothing.',
  description: 'What is being paid for, as the buyer reads it.',
  expiresAt:
    'The end of the time in which it can be paid: ISO 8601. An expiry does not prove that no money moved.',
  created: 'False if this is the result of an earlier request.',
  linkId:
    'The payment link’s identifier. It is the end of `paymentUrl`, and whoever knows it can open the page. It is not the order reference: a derived `merchantOrderId` begins with `lnk_` too, but is another value.',
  paymentUrl: 'The address to hand to the buyer.',
  payment: 'The payment as it is now.',
  qr: 'What to show as a QR code. It is an address and says nothing about payment.',
  proofOfPayment: 'The only proof of a payment: an event, or a look-up from your back end.',
  publicKey:
    'The installation’s public key, `kpk_…`. It is bound to exact origins and may stand in a web page.',
  productId: 'The product’s key in the registry. The registry decides the price.',
  clientReference: 'The browser’s own reference for one click or attempt. Retries send the same one.',
  product: 'What is being bought, as the registry has it.',
  ready: 'False while no requests should be sent to the service.',
  service: 'The name of the software.',
  version: 'The version.',
  mode: '`sandbox`: no real money moves. `live`: real money moves.',
  error: 'The error.',
  errors: 'One sentence for each wrong field, by the field’s name (`customer.email` for a nested one).',
  code: 'The error’s name, for programs.',
  message: 'The error in a sentence, for people.',
  requestId: 'The request’s identifier, also in the header X-Request-Id. Quote it when you ask for help.',
  hint: 'What you can do about the error.',
  retryable:
    'True if the same request may succeed later. False if it fails until somebody corrects the cause.',
  operation: 'The guarded operation, if one was recorded.',
  type: 'The kind of object.',
  livemode: 'False in the sandbox, where no real money moves. True in the live world.',
  capturedMinor:
    'How much was really taken, in minor units. It is less than `amountMinor` after a capture of a part, or if the shop has accepted less. After a void it is 0.',
  refundedMinor:
    'How much went back to the buyer, in minor units: by refunds and by lost disputes. It falls only if the provider says that a refund failed after all, or that a dispute was won after all.',
  sequence: 'The number of the event among those of its payment, from 1. A lower number is an older change.',
  data: 'The most important fields of the payment again, for receivers that expect them here.',
  operationId: 'The identifier of an operation, such as `opr_test_01k9zq…`.',
  'PaymentStatusChanged.data.operationId':
    'The operation that caused the change: its result, or a refund that failed after all. Absent if something else caused it. An addition of Kassa.',
  merchant: 'The merchant of the token. An addition of Kassa.',
  'CapabilitiesMerchant.id': 'The merchant’s identifier.',
  'CapabilitiesMerchant.name': 'The merchant’s name.',
  callback: 'Where the merchant’s events go. An addition of Kassa.',
  kind: '`url`: a callback URL. `order_book`: the order book inside this service. `none`: events are kept, and sent to nobody.',
  verified: 'Whether the receiver has passed the check with signed test events.',
  lastAcceptedAt:
    'When it last accepted an event, to within a minute: ISO 8601, UTC. Absent if it never has.',
  currencyDigits:
    'For each currency, how many digits of an amount in minor units stand behind the decimal point. An addition of Kassa.',
  defaultProvider: 'The route of payments that name none.',
  generatedAt: 'When this response was made: ISO 8601, UTC.',
  providers: 'Every provider route, ready or not.',
  connectors: 'What shop platforms need to keep their orders up to date.',
  statusSync: 'How to read statuses and how often to ask for them.',
  label: 'The route’s name, for people.',
  currencies: 'The currencies that the route takes.',
  amountBounds:
    'The smallest and largest amount that the route’s provider takes, for each of its currencies.',
  smallestMinor: 'The smallest amount, in minor units.',
  largestMinor: 'The largest amount, in minor units.',
  liveCapable: 'Whether the route can move real money.',
  supportsAutoinit: 'Whether the provider’s checkout is opened while the payment is created.',
  readiness: 'Whether the route can create payments now.',
  enabledForPaymentCreation: 'Whether payments can be created on the route now.',
  reason: 'The reason, for people.',
  missingEnv: 'The names of the settings that are missing.',
  capabilities: 'What can be done on the route, by capability name.',
  supported: 'Whether the route’s driver can do it.',
  enabled: 'Whether the settings allow it.',
  normalizedStatuses: 'Every payment status.',
  terminalStatuses:
    'Statuses with a known outcome. Polling may stop. If the provider changes one of them later, an event tells.',
  fulfilmentStatuses: 'Statuses in which the goods may be delivered.',
  accountingStatuses: 'Statuses in which money went back or is disputed. Update accounting and support.',
  poll: 'How often to ask.',
  minSeconds: 'The first wait, in seconds.',
  backoff: 'How the wait grows.',
  maxSeconds: 'The longest wait, in seconds.',
  platforms: 'Each platform’s own word for each status.',
  value: 'The address to encode.',
  paymentSessionId: 'The payment of this operation.',
  providerOperationId: 'The provider’s own id of the operation.',
  statusReason:
    'The reason for the status, for people. A refund that failed at the provider after it had succeeded says so here.',
  'PaymentOperation.id': 'The operation’s identifier.',
  'PaymentOperation.type': 'The kind of operation.',
  'PaymentOperation.provider': 'The provider route.',
  'PaymentOperation.status':
    '`queued` and `processing` continue by themselves. `succeeded` and `failed` are final, but a refund that fails at the provider after it succeeded becomes `failed`. `requires_operator_review`: a person decides. `blocked` and `requires_provider_contract`: the call was rejected.',
  'PaymentOperation.amountMinor': 'The amount that it moves, in minor units.',
  'CreateRefundRequest.amountMinor': 'The amount that goes back, in minor units.',
  'CreateRefundRequest.reason': 'The reason, for your records and the provider’s.',
  'CreateRefundRequest.currency': 'If given, it must be the payment’s currency.',
  'CreateCaptureRequest.amountMinor':
    'The amount to take, in minor units. If it is left out, the whole held amount is taken.',
  'CreateCaptureRequest.reason': 'The reason, for your records.',
  'CreateCaptureRequest.currency': 'If given, it must be the payment’s currency.',
  'CreateVoidRequest.reason': 'The reason, for your records and the provider’s.',
  tokenId: 'The saved card’s identifier, such as `pmt_test_01k9zq…`.',
  subscriptionId: 'The subscription’s identifier, such as `sub_test_01k9zq…`.',
  customerConsentId: 'Your own reference to the customer’s consent to be charged later.',
  setupUrl: 'The provider’s own page on which the card is saved. Send the buyer here.',
  token: 'The saved card as it is now.',
  card: 'What its owner recognises the card by. No other data of the card is stored.',
  brand: 'The card’s brand.',
  last4: 'The last four digits.',
  expiry: 'Year and month: `2034-12`.',
  subscription: 'The subscription as it is now.',
  merchantSubscriptionId:
    'Your own reference for the subscription. Only one subscription with this reference can run at a time. The `merchantOrderId` of its payments is this reference, a slash and the period. A longer one than 120 characters is cut, and ends in `~`, 10 characters of its SHA-256, a slash and the period.',
  paymentTokenId: 'The saved card that is charged. It must be active and saved on the same route.',
  interval:
    'The length of a period. Dates are in UTC and keep the day of the month on which the subscription began: 31 January, 28 February, 31 March.',
  cancelReason: 'The reason why it ended.',
  cancelledAt: 'When it ended: ISO 8601, UTC.',
  currentPeriod: 'The period that was charged last, or that is charged next, counted from 1.',
  currentPeriodStart: 'When that period begins: ISO 8601, UTC.',
  currentPeriodEnd: 'When that period ends and the next one begins.',
  nextChargeAt:
    'When it is charged next. Absent after the end, and while the outcome of a charge is unknown. Nothing else is charged until then.',
  attempts: 'How often the current period’s charge has been sent.',
  latestPaymentId: 'The latest payment of the current period.',
  'PaymentMethodToken.status':
    '`pending`: the buyer has not decided. `active`: the card can be charged. `cancelled`: the buyer went back. `failed`: nobody saved a card in time. `revoked`: the card cannot be charged any more.',
  'PaymentMethodToken.expiresAt':
    'The end of the time in which the card can be saved: ISO 8601. Only a `pending` token has it. The card’s own end is `card.expiry`.',
  'CreateTokenizationIntentRequest.providerRoute': 'The provider route whose page saves the card.',
  'PaymentMethodToken.providerRoute': 'The provider route that keeps the card.',
  'CreateSubscriptionRequest.providerRoute': 'The provider route that charges. It must be the token’s route.',
  'Subscription.providerRoute': 'The provider route that charges.',
  'Subscription.status':
    '`incomplete` until the first period is paid, then `active`. `past_due`: the last charge failed and will be retried. `cancelled`: it has ended.',
  'Subscription.amountMinor': 'The price of a period, in minor units.',
  'CreateSubscriptionRequest.amountMinor': 'The price of a period, in minor units.',
  'TokenizationResponse.ok': 'Always true.',
  'TokenRevocationResponse.ok': 'Always true.',
  'SubscriptionResponse.ok': 'Always true.',
  'TokenizationResponse.operation': 'The operation as it is now. It ends when the buyer has decided.',
  'TokenRevocationResponse.operation':
    'The operation as it is now. It ends when the provider has deleted the card.',
  'SubscriptionResponse.operation':
    'The operation as it is now. A creation succeeds when a period is paid for the first time, and fails if that never happens.',
  pendingRefundMinor:
    'How much of the payment is being refunded and not decided yet, in minor units. An addition of Kassa.',
  'OperationErrorResponse.ok': 'Always false.',
  'OperationResponse.ok': 'Always true.',
  'OperationResponse.operation': 'The operation as it is now.',
  'PaymentSession.id': 'The payment’s identifier.',
  'PaymentSession.provider': 'The provider route of the payment.',
  'PaymentStatusChanged.id':
    'The event’s identifier. Store it, and ignore an event whose id you have stored before.',
  'PaymentStatusChanged.type': 'The only kind of event.',
  'PaymentStatusChanged.createdAt': 'When the payment changed: ISO 8601, UTC.',
  'PaymentStatusChanged.payment': 'The payment after the change.',
  'CapabilitiesResponse.status':
    '`ready`, `degraded` (some route can create payments, but not the default one) or `not_ready`.',
  'ErrorResponse.ok': 'Always false.',
  'ValidationErrorResponse.ok': 'Always false.',
  'HealthResponse.ok': 'Always true.',
  'QrPresentation.type': 'Always `url`.',
  'ProviderCapability.id': 'The provider route.',
  'WidgetCheckoutRequest.returnUrl':
    'Where the buyer’s browser goes afterwards. It must be on one of the installation’s origins. Required unless the installation has a default.',
  'WidgetCheckoutResponse.product.id': 'The product’s key.',
  'CreatePaymentLinkRequest.merchantOrderId':
    'Your own, stable reference for the order. If it is left out, it is derived from the Idempotency-Key: `lnk_` (`lnk_test_` in the sandbox) and 20 characters. The derived reference is not the `linkId`.',
  'CreatePaymentLinkRequest.amountMinor': 'The amount in minor units. It must agree with `amount`.',
}

/** The note of a field of a schema (`Schema.field.inner` for nested ones), or undefined if there is none. */
export function fieldNote(schema: string, field: string): string | undefined {
  if (schema === 'CurrencyDigits') return 'Digits behind the decimal point.'
  if (schema === 'PlatformStatuses') return `The platform’s own status for \`${field}\`.`
  return NOTES[`${schema}.${field}`] ?? NOTES[field]
}
