/**
 * What a payment's status is called on a shop platform. Each word is the platform's own.
 * Law: what is not decided, or is being disputed, holds the order. It never cancels it, and never lets it ship.
 */
import type { Platform } from '../contract/capability.ts'
import type { PaymentStatus } from '../contract/payment.ts'

export const PLATFORM_STATUSES = {
  // Order statuses. A partial refund leaves the order where it is.
  woocommerce: {
    created: 'pending',
    pending_redirect: 'pending',
    pending_payment: 'pending',
    authorized: 'on-hold',
    paid: 'processing',
    failed: 'failed',
    cancelled: 'cancelled',
    reversed: 'cancelled',
    partially_refunded: 'processing',
    refunded: 'refunded',
    expired: 'cancelled',
    status_unknown: 'on-hold',
    disputed: 'on-hold',
  },
  // Financial statuses; `on_hold` is the hold of the fulfilment order, since no financial status stops the shipping.
  shopify: {
    created: 'pending',
    pending_redirect: 'pending',
    pending_payment: 'pending',
    authorized: 'authorized',
    paid: 'paid',
    failed: 'voided',
    cancelled: 'voided',
    reversed: 'voided',
    partially_refunded: 'partially_refunded',
    refunded: 'refunded',
    expired: 'voided',
    status_unknown: 'on_hold',
    disputed: 'on_hold',
  },
  // The order statuses of a fresh installation. It has no hold of its own: a pending order is not shipped.
  opencart: {
    created: 'Pending',
    pending_redirect: 'Pending',
    pending_payment: 'Pending',
    authorized: 'Pending',
    paid: 'Processing',
    failed: 'Failed',
    cancelled: 'Canceled',
    reversed: 'Reversed',
    partially_refunded: 'Processing',
    refunded: 'Refunded',
    expired: 'Expired',
    status_unknown: 'Pending',
    disputed: 'Pending',
  },
  // Order states by their configuration key, since names are translated. The only unpaid waiting state that every
  // installation has is that of a bank wire; it is also the hold.
  prestashop: {
    created: 'PS_OS_BANKWIRE',
    pending_redirect: 'PS_OS_BANKWIRE',
    pending_payment: 'PS_OS_BANKWIRE',
    authorized: 'PS_OS_BANKWIRE',
    paid: 'PS_OS_PAYMENT',
    failed: 'PS_OS_ERROR',
    cancelled: 'PS_OS_CANCELED',
    reversed: 'PS_OS_CANCELED',
    partially_refunded: 'PS_OS_PAYMENT',
    refunded: 'PS_OS_REFUND',
    expired: 'PS_OS_CANCELED',
    status_unknown: 'PS_OS_BANKWIRE',
    disputed: 'PS_OS_BANKWIRE',
  },
  // Order states. An authorized order is under review, because one that waits for payment is cancelled by a timer.
  magento: {
    created: 'new',
    pending_redirect: 'pending_payment',
    pending_payment: 'pending_payment',
    authorized: 'payment_review',
    paid: 'processing',
    failed: 'canceled',
    cancelled: 'canceled',
    reversed: 'canceled',
    partially_refunded: 'processing',
    refunded: 'closed',
    expired: 'canceled',
    status_unknown: 'holded',
    disputed: 'holded',
  },
  // A custom payment gateway's notification: `paid` is the word to set as the indicator of success; Tilda leaves the
  // order unpaid at any other, and passes the word on.
  tilda: {
    created: 'pending',
    pending_redirect: 'pending',
    pending_payment: 'pending',
    authorized: 'pending',
    paid: 'paid',
    failed: 'failed',
    cancelled: 'canceled',
    reversed: 'canceled',
    partially_refunded: 'paid',
    refunded: 'refunded',
    expired: 'canceled',
    status_unknown: 'hold',
    disputed: 'hold',
  },
} as const satisfies Record<Platform, Record<PaymentStatus, string>>
