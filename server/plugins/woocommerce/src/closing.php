<?php

/** Ends payments that nobody should pay any more: the order has changed, or the shop has cancelled it. */

declare(strict_types=1);

namespace Kassa\WordPress;

use Throwable;
use WC_Order;

use function Kassa\actOf;
use function Kassa\keyOf;

/** Ends a payment for which another one follows. Its end is not the order's. Throws a refusal if it cannot be ended. */
function closePayment(WC_Order $order, string $paymentId, string $reason): void
{
    $ended = kassa()->cancel($paymentId, ['reason' => $reason], ['key' => keyOf('cancel', $paymentId)]);
    if (!$ended->ok) {
        $found = kassa()->lookUp($paymentId);
        if (!$found->ok || actOf($found->value['status']) !== 'close') {
            throw new Refusal(__('Your payment of this order is being processed. Please do not pay again.', 'kassa'));
        }
    }
    $order->update_meta_data('_kassa_payment', '');
    $order->save();
}

/**
 * Ends the open payment of an order together with the order. Returns whether it is certain that it brings no money. Otherwise the order
 * is left as it is: the money may be on its way.
 */
function closeOrder(int $orderId, string $reason): bool
{
    return (bool) withOrder($orderId, function (WC_Order $order) use ($reason): bool {
        $id = (string) $order->get_meta('_kassa_payment');
        if ($id === '') {
            // A request without an answer may have made a payment whose address nobody has.
            return true;
        }
        $order->update_meta_data('_kassa_closed', $id);
        $order->save();
        $ended = kassa()->cancel($id, ['reason' => $reason], ['key' => keyOf('cancel', $id)]);
        $before = '';
        $known = $ended->ok ? $ended->value['payment'] : null;
        if (!$ended->ok) {
            $before = seenAt($id);
            $found = kassa()->lookUp($id);
            $known = $found->ok ? $found->value : null;
        }
        if ($known === null) {
            return false;
        }
        remember($known, $order->get_id(), $before);
        decide($id);
        return actOf($known['status']) === 'close';
    });
}

/** The shop has cancelled the order by hand, or something else has. Money that is held is let go. */
function closeCancelled(int $orderId, WC_Order $order): void
{
    $row = $order->get_payment_method() === 'kassa' ? findPayment((string) $order->get_meta('_kassa_payment')) : null;
    $status = $row ? json_decode($row['payment'], true)['status'] : '';
    if ($status === 'authorized') {
        letGo($orderId);
    } elseif ($status !== '' && actOf($status) === 'wait' && !closeOrder($orderId, __('The shop has cancelled the order.', 'kassa'))) {
        as_schedule_single_action(time() + MINUTE_IN_SECONDS, 'kassa_close', [$orderId], 'kassa');
    }
}
add_action('woocommerce_order_status_cancelled', __NAMESPACE__ . '\closeCancelled', 10, 2);
/** Who deletes an order must not leave a page on which it can still be paid. The money may have come in that moment. */
function closeDeleted(int $orderId, $order): void
{
    if (!$order instanceof WC_Order || $order->get_date_paid()) {
        return;
    }
    try {
        closeCancelled($orderId, $order);
    } catch (Throwable $error) {
        error_log("Kassa: $error");
    }
    $payer = payerOf($orderId);
    if ($payer !== null) {
        tellDeleted(json_decode(findPayment($payer)['payment'], true), $orderId);
    }
}

function tellDeleted(array $payment, int $orderId): void
{
    /* translators: 1: the id of an order, 2: an amount, 3: the id of a payment */
    $text = __('The order %1$d was deleted, but %2$s has come for it (%3$s). Whoever runs your Kassa can give the money back.', 'kassa');
    $sum = written($payment['amountMinor'], $payment['currency']);
    mailStaff(__('Money for an order that was deleted', 'kassa'), sprintf($text, $orderId, $sum, $payment['id']));
}
add_action('woocommerce_before_trash_order', __NAMESPACE__ . '\closeDeleted', 10, 2);
add_action('woocommerce_before_delete_order', __NAMESPACE__ . '\closeDeleted', 10, 2);
add_action('kassa_close', function (int $orderId): void {
    $order = wc_get_order($orderId);
    if ($order && $order->has_status('cancelled')) {
        closeCancelled($orderId, $order);
    }
});
