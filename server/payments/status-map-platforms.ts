/**
 * Each payment status in the words of each shop platform.
 * Rule: an undecided or disputed payment puts the shop's order on hold. It never cancels the order and never releases it.
 */
import type { Platform } from '../contract/capability.ts'
import type { PaymentStatus } from '../contract/payment.ts'

export const PLATFORM_STATUSES = {
  // Order statuses. A partial refund does not change the order's status.
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
  // Financial statuses. `on_hold` is the hold of the fulfilment order, because no financial status stops the shipping.
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
  // The order statuses of a new installation. There is no hold status. A pending order is not shipped, nobody is asked to pay it, and
  // its goods stay reserved: after any status outside of its processing ones OpenCart puts them back into the stock.
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
  // Order states by their configuration key, because their names are translated. The mail of the bank wire state asks the buyer for a
  // transfer, so a payment that may have been made already has the backorder state. It is unpaid and not shipped.
  prestashop: {
    created: 'PS_OS_BANKWIRE',
    pending_redirect: 'PS_OS_BANKWIRE',
    pending_payment: 'PS_OS_BANKWIRE',
    authorized: 'PS_OS_OUTOFSTOCK_UNPAID',
    paid: 'PS_OS_PAYMENT',
    failed: 'PS_OS_ERROR',
    cancelled: 'PS_OS_CANCELED',
    reversed: 'PS_OS_CANCELED',
    partially_refunded: 'PS_OS_PAYMENT',
    refunded: 'PS_OS_REFUND',
    expired: 'PS_OS_CANCELED',
    status_unknown: 'PS_OS_OUTOFSTOCK_UNPAID',
    disputed: 'PS_OS_OUTOFSTOCK_UNPAID',
  },
  // Order states. An authorized payment puts the order under review, because a timer cancels orders that wait for payment.
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
  // The notification of a custom payment gateway. Set `paid` as the indicator of success in Tilda. With any other value Tilda
  // leaves the order unpaid and passes the value on.
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
