/**
 * Each payment status in the words of each shop platform.
 * Rule: an undecided or disputed payment puts the shop's order on hold. It never cancels the order and never releases it.
 */
import type { Platform } from '../contract/capability.ts'
import type { PaymentStatus } from '../contract/payment.ts'

export const PLATFORM_STATUSES = {
  // Order statuses. A partial refund does not change the order's status. `cancelled` puts the goods back into the stock. A payment that
  // was undone or lost in a dispute is `refunded`, because only a person knows whether the goods came back.
  woocommerce: {
    created: 'pending',
    pending_redirect: 'pending',
    pending_payment: 'pending',
    authorized: 'on-hold',
    paid: 'processing',
    failed: 'failed',
    cancelled: 'cancelled',
    reversed: 'refunded',
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
  // The ids of the order statuses of a new installation, because their names are translated: 1 pending, 2 processing, 7 canceled,
  // 10 failed, 11 refunded, 12 reversed, 14 expired. There is no hold status, so "on hold" is 1: a pending order is not shipped, its
  // buyer is not asked to pay again, and its goods stay reserved. Any status that is not a processing status returns the goods to stock.
  opencart: {
    created: '1',
    pending_redirect: '1',
    pending_payment: '1',
    authorized: '1',
    paid: '2',
    failed: '10',
    cancelled: '7',
    reversed: '12',
    partially_refunded: '2',
    refunded: '11',
    expired: '14',
    status_unknown: '1',
    disputed: '1',
  },
  // Order states by their configuration key, because their names are translated. Every unpaid state of PrestaShop sends a mail that is
  // wrong here: it asks for a cheque or a transfer, or says that goods are out of stock. So the connector adds two states that send
  // none, are not paid and are not shipped, as other payment modules do: KASSA_OS_WAITING and KASSA_OS_HOLD.
  prestashop: {
    created: 'KASSA_OS_WAITING',
    pending_redirect: 'KASSA_OS_WAITING',
    pending_payment: 'KASSA_OS_WAITING',
    authorized: 'KASSA_OS_HOLD',
    paid: 'PS_OS_PAYMENT',
    failed: 'PS_OS_ERROR',
    cancelled: 'PS_OS_CANCELED',
    reversed: 'KASSA_OS_HOLD',
    partially_refunded: 'PS_OS_PAYMENT',
    refunded: 'PS_OS_REFUND',
    expired: 'PS_OS_CANCELED',
    status_unknown: 'KASSA_OS_HOLD',
    disputed: 'KASSA_OS_HOLD',
  },
  // Order states. An order whose payment is authorized is in `processing`, as after Magento's own authorization: the shop captures with
  // an invoice, and Magento allows no invoice for an order in payment review, on hold, canceled or closed. Its timer cancels unpaid orders.
  // `canceled` puts the goods back into the stock, so a payment that was undone or lost in a dispute is `closed`.
  magento: {
    created: 'new',
    pending_redirect: 'pending_payment',
    pending_payment: 'pending_payment',
    authorized: 'processing',
    paid: 'processing',
    failed: 'canceled',
    cancelled: 'canceled',
    reversed: 'closed',
    partially_refunded: 'processing',
    refunded: 'closed',
    expired: 'canceled',
    status_unknown: 'holded',
    disputed: 'holded',
  },
  // Statuses of a payment session. A refund is a record of its own, and the session stays captured. Medusa has no hold status. A session in
  // `requires_more` is neither authorized nor canceled.
  medusa: {
    created: 'pending',
    pending_redirect: 'pending',
    pending_payment: 'pending',
    authorized: 'authorized',
    paid: 'captured',
    failed: 'error',
    cancelled: 'canceled',
    reversed: 'canceled',
    partially_refunded: 'captured',
    refunded: 'captured',
    expired: 'canceled',
    status_unknown: 'requires_more',
    disputed: 'requires_more',
  },
  // Order states. After a failure the buyer may pay the same order again: it stays in `ArrangingPayment`, or goes from
  // `PaymentAuthorized` to `ArrangingAdditionalPayment`. Buyers can pay an order in both of these states. So an order whose payment may
  // have succeeded waits in `PaymentAuthorized`, in which nobody can pay, ship or complete it. An order that is being modified is not fulfilled,
  // and a person decides about it. A paid order cannot be cancelled before its lines are.
  vendure: {
    created: 'ArrangingPayment',
    pending_redirect: 'ArrangingPayment',
    pending_payment: 'ArrangingPayment',
    authorized: 'PaymentAuthorized',
    paid: 'PaymentSettled',
    failed: 'ArrangingPayment',
    cancelled: 'Cancelled',
    reversed: 'Modifying',
    partially_refunded: 'PaymentSettled',
    refunded: 'Modifying',
    expired: 'Cancelled',
    status_unknown: 'PaymentAuthorized',
    disputed: 'Modifying',
  },
  // Payment statuses. EverShop itself has `pending`, `paid` and `canceled`, and `canceled` puts the goods back into the stock. Payment
  // modules add statuses of their own, as the connector does with those that begin with `kassa_`.
  evershop: {
    created: 'pending',
    pending_redirect: 'pending',
    pending_payment: 'pending',
    authorized: 'kassa_authorized',
    paid: 'paid',
    failed: 'kassa_failed',
    cancelled: 'canceled',
    reversed: 'kassa_reversed',
    partially_refunded: 'kassa_partially_refunded',
    refunded: 'kassa_refunded',
    expired: 'canceled',
    status_unknown: 'kassa_hold',
    disputed: 'kassa_hold',
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
