<?php

/** Money that went back, or is disputed. What was not refunded by WooCommerce itself is booked in it. The stock is left as it is. */

declare(strict_types=1);

namespace Kassa\WordPress;

use WC_Order;

use function Kassa\actOf;

function takeBack(WC_Order $order, array $payment, array $row): void
{
    $id = $payment['id'];
    $isPayer = payerOf($order->get_id()) === $id;
    if ($payment['status'] === 'disputed') {
        if ($order->has_status(['processing', 'completed', 'pending', 'failed'])) {
            $order->update_status('on-hold');
        }
        askStaff($order, __('The buyer disputes this payment at the bank. Do not deliver. Whoever runs your Kassa can answer the bank.', 'kassa'));
    } elseif (!$isPayer && $payment['status'] === 'reversed') {
        letGoOf($order, $payment, statusIn($row['decided']));
        return;
    } elseif (!$isPayer) {
        /* translators: %s: the id of a payment */
        askStaff($order, sprintf(__('Money of the payment %s went back before it had paid this order. Do not deliver for it.', 'kassa'), $id));
        if ($order->has_status(['pending', 'failed'])) {
            $order->update_status('on-hold');
        }
        return;
    }
    takeBackRest($order, $payment, $row);
    if ($payment['status'] === 'reversed') {
        stopReversed($order->get_id());
    }
}

/** The bank has undone a payment that had paid its order. Once everything is booked, WooCommerce has made the order *refunded*. */
function stopReversed(int $orderId): void
{
    $order = wc_get_order($orderId);
    if ($order->has_status(['processing', 'completed', 'pending', 'failed'])) {
        $order->update_status('on-hold');
    }
    askStaff($order, __('This payment was undone after it had paid the order, and the money is gone. Do not deliver.', 'kassa'));
}

/** Money that was only held was let go, by the shop or by the bank. */
function letGoOf(WC_Order $order, array $payment, string $before): void
{
    note($order, __('The money that was held has been let go. Nothing was paid.', 'kassa'));
    if ($order->get_meta('_kassa_payment') === $payment['id'] && ($order->has_status(['pending', 'failed']) || ($order->has_status('on-hold') && $before === 'authorized'))) {
        $order->update_status('cancelled');
    }
}

/** Books what went back without WooCommerce, such as a refund in Kassa's console or a lost dispute. */
function takeBackRest(WC_Order $order, array $payment, array $row): void
{
    if (payerOf($order->get_id()) !== $payment['id']) {
        return;
    }
    // A void takes away the refunds too. They are no failed ones.
    if ($payment['status'] !== 'reversed' && ($payment['refundedMinor'] ?? 0) < (int) (explode(' ', $row['decided'])[2] ?? 0)) {
        countRefundFailure($order);
        askStaff($order, __('A refund of this payment has failed at the bank after all. Delete that refund from the order, and then refund again.', 'kassa'));
        return;
    }
    bookReturned($order, $payment, true);
}

/**
 * Of a payment that has paid its order: all that went back. A void after the payment is no refund, it takes the captured money away.
 * Only a payment captured as a whole pays an order.
 */
function returnedMinor(array $payment): int
{
    $amount = $payment['amountMinor'];
    return min($amount, $amount - ($payment['capturedMinor'] ?? $amount) + ($payment['refundedMinor'] ?? 0));
}

/** `$isNew`: the state has not been decided before. A person is not asked again for the same state. */
function bookReturned(WC_Order $order, array $payment, bool $isNew): void
{
    if (payerOf($order->get_id()) !== $payment['id'] || !in_array(actOf($payment['status']), ['deliver', 'take_back'], true)) {
        return;
    }
    $currency = $order->get_currency();
    $returned = returnedMinor($payment);
    $missing = $returned - bookedMinor($order);
    if ($missing <= 0) {
        return;
    }
    // Whoever was asked to book it by hand may have done so.
    if (!$isNew && (!isExact($missing, $currency) || minorOf($order->get_total_refunded(), $currency) >= $returned)) {
        return;
    }
    $sum = written($missing, $currency);
    $refund = wc_create_refund([
        'order_id' => $order->get_id(),
        'amount' => majorOf($missing, $currency),
        'reason' => __('Returned outside WooCommerce', 'kassa'),
        'refund_payment' => false,
        'restock_items' => false,
        'kassa' => 'outside',
    ]);
    // With fewer decimals in WooCommerce the amount may have been rounded.
    if ($isNew && (is_wp_error($refund) || minorOf($refund->get_amount(), $currency) !== $missing)) {
        /* translators: %s: an amount */
        askStaff($order, sprintf(__('%s went back outside WooCommerce, and could not be booked as a refund. Book it by hand.', 'kassa'), $sum));
    }
    if (!is_wp_error($refund)) {
        /* translators: %s: an amount */
        note(wc_get_order($order->get_id()), sprintf(__('%s went back outside WooCommerce. It is booked as a refund here, and the stock was not changed.', 'kassa'), $sum));
    }
}

/** What WooCommerce has booked of the refunds through Kassa. A refund that somebody made by hand, in cash say, is not among them. */
function bookedMinor(WC_Order $order): int
{
    $booked = 0;
    foreach ($order->get_refunds() as $refund) {
        if ($refund->get_meta('_kassa_refund') !== '') {
            $booked += minorOf($refund->get_amount(), $order->get_currency());
        }
    }
    return $booked;
}
