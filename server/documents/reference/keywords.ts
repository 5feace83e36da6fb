/** Words of the search that a page of the reference does not use itself, by the id of the page: its line `keywords:`. */
export const KEYWORDS: Record<string, string> = {
  quickstart: 'start, begin, first call, first payment, hello world, example, integration, openapi, swagger',
  authentication:
    'token, bearer, api key, secret key, credentials, authorization header, unauthorized, scope, cors, origin, browser call',
  idempotency:
    'idempotent, retry, retries, timeout, repeat, duplicate, double payment, charged twice, same request',
  requests: 'json, body, content type, null, encoding, utf-8, form',
  money: 'currency, currencies, minor units, cents, amount, decimals, dram, dollar, euro, rounding',
  statuses:
    'status, state, states, polling, poll, lifecycle, pending, paid, failed, deliver, late payment, late money',
  errors: 'error, error codes, exception, failure, http status',
  limits: 'rate limit, rate limits, throttle, throttling, 429, too many requests, quota',
  events:
    'payload, notification body, signature, hmac, sequence, order of events, posted, sent again, delivery, webhook, payment.status_changed',
  'button-payments': 'widget sale, product sold, button sale',
  'subscription-payments': 'subscription charge, renewal, period, recurring charge',
  'receiver-kits': 'express, flask, fastapi, django, laravel, example, receiver',
  createPaymentSession: 'create payment, charge, checkout, pay, new payment, order, return url, redirect',
  createPaymentLink: 'payment link, hosted link, qr',
  lookUpPayment: 'get payment, find payment, payment status, check payment, verify payment, poll',
  createRefund: 'refund a payment, partial refund, give money back, return money, reverse',
  capturePayment: 'capture, hold, authorization, authorize, two steps, preauthorization, take money',
  cancelPayment: 'cancel payment, cancel a payment, cancel an order, call off, withdraw, abandon',
  voidPayment: 'void, release hold, undo, reverse authorization',
  retryFiscalReceipt: 'receipt, fiscal, cash register, ehdm, print again, tax receipt',
  createPaymentMethodToken:
    'save card, saved card, store card, card on file, tokenization, vault, one click, remember card',
  revokePaymentMethodToken: 'delete card, remove saved card, forget card, revoke token',
  createSubscription:
    'subscription, recurring, recurring payment, recurring payments, rebill, monthly, plan, membership',
  cancelSubscription: 'stop, end, unsubscribe, terminate',
  createWidgetCheckout: 'widget, button click, browser checkout, public key',
  getOperation: 'operation, refund status, result of a refund, guarded operation',
  health: 'health, ping, uptime, alive, version',
  getCapabilities: 'capabilities, features, routes, providers, status map, platform, amount bounds',
}
