<?php

/** The button "Refund" of WooCommerce. WooCommerce has stored its refund before it calls this, and deletes it after an error. */

declare(strict_types=1);

namespace Kassa\WordPress;

use InvalidArgumentException;
use RuntimeException;
use WC_Order;
use WC_Order_Refund;
use WP_Error;

use function Kassa\keyOf;

const REASON_CHARS_MAX = 240;

/** Marks refunds before they are stored, so that the sum of those through Kassa is known. `kassa`: given by our own call. */
add_action('woocommerce_create_refund', function (WC_Order_Refund $refund, array $args): void {
    $order = wc_get_order($args['order_id'] ?? 0);
    if (!$order || payerOf($order->get_id()) === null) {
        return;
    }
    // The staff may have changed the order's way to pay since. Then WooCommerce asks another gateway for the refund.
    $isAsked = !empty($args['refund_payment']) && $order->get_payment_method() === 'kassa';
    if ($isAsked || isset($args['kassa'])) {
        $refund->update_meta_data('_kassa_refund', $args['kassa'] ?? 'asked');
    }
    if ($isAsked) {
        askedInThisProcess($refund);
    }
}, 10, 2);

/** WooCommerce does not tell the button's function for which of its refunds it calls. */
function askedInThisProcess(?WC_Order_Refund $asked = null): ?WC_Order_Refund
{
    static $last = null;
    $last = $asked ?? $last;
    return $last;
}

/** A further try of a refund that has failed is a wish of its own, with its own key. */
function countRefundFailure(WC_Order $order): void
{
    $order->update_meta_data('_kassa_refund_failures', (string) (1 + (int) $order->get_meta('_kassa_refund_failures')));
    $order->save();
}

/** @return true|WP_Error */
function refund(int $orderId, $amount, string $reason)
{
    try {
        return withOrder($orderId, fn (WC_Order $order) => refundOrder($order, minorOf($amount, $order->get_currency()), $reason))
            ?? new WP_Error('kassa', __('There is no such order.', 'kassa'));
    } catch (InvalidArgumentException | RuntimeException $error) {
        return new WP_Error('kassa', $error->getMessage());
    }
}

function refundOrder(WC_Order $order, int $amountMinor, string $reason)
{
    $id = payerOf($order->get_id());
    if ($id === null) {
        return new WP_Error('kassa', __('No payment through Kassa has paid this order. Money that is only held is let go under “Order actions”.', 'kassa'));
    }
    $asked = findAskedRefund($order, $amountMinor);
    $before = bookedMinor($order) - ($asked ? $amountMinor : 0);
    if ($asked) {
        checkAskedRefund($order->get_id(), $asked->get_id());
    }
    // The refund of which Kassa did not answer may be booked by now, and this is the same wish again.
    $unanswered = (string) $order->get_meta('_kassa_refund_unanswered');
    if ($unanswered !== '' && $unanswered !== (string) $before) {
        noteUnanswered($order, null);
        forget($asked);
        return new WP_Error('kassa', refundedElsewhere($before, $order->get_currency()));
    }
    $failures = (int) $order->get_meta('_kassa_refund_failures');
    $made = kassa()->refund(
        $id,
        ['amountMinor' => $amountMinor, 'currency' => $order->get_currency(), 'reason' => reasonOf($reason)],
        ['key' => keyOf('refund', $id, $before, $amountMinor, $failures), 'ifRefundedMinor' => $before]
    );
    if (!$made->ok) {
        return refusedRefund($order, ['payment' => $id, 'before' => $before, 'refund' => $asked], $made->error);
    }
    noteUnanswered($order, null);
    $operation = $made->value['operation'];
    if ($operation['status'] === 'failed') {
        countRefundFailure($order);
        forget($asked);
        /* translators: %s: the bank's reason */
        return new WP_Error('kassa', sprintf(__('The bank has refused the refund: %s', 'kassa'), $operation['statusReason'] ?? ''));
    }
    if ($asked) {
        $asked->update_meta_data('_kassa_refund', $operation['id']);
        $asked->save();
    }
    /* translators: %s: an amount */
    note($order, sprintf(__('Refund through Kassa: %s', 'kassa'), written($amountMinor, $order->get_currency()) . " ({$operation['id']})"));
    if ($operation['status'] !== 'succeeded') {
        note($order, __('The bank is still working on this refund.', 'kassa'));
        watchRefund($order->get_id(), $operation['id'], 0);
    }
    return true;
}

function reasonOf(string $given): string
{
    $reason = trim(mb_substr($given, 0, REASON_CHARS_MAX));
    return $reason === '' ? __('Refunded in WooCommerce', 'kassa') : $reason;
}

/** The refund for which WooCommerce calls. Other processes may ask for others of this order meanwhile. */
function findAskedRefund(WC_Order $order, int $amountMinor): ?WC_Order_Refund
{
    $asked = askedInThisProcess();
    $isIt = $asked && isAsked($asked) && $asked->get_parent_id() === $order->get_id()
        && minorOf($asked->get_amount(), $order->get_currency()) === $amountMinor;
    return $isIt ? $asked : null;
}

function isAsked(WC_Order_Refund $refund): bool
{
    return $refund->get_meta('_kassa_refund') === 'asked';
}

/** Kassa has certainly not made it. WooCommerce deletes it only after the lock, and until then another refund must not count it. */
function forget(?WC_Order_Refund $asked): void
{
    if ($asked) {
        $asked->delete_meta_data('_kassa_refund');
        $asked->save();
    }
}

/** `$before`: what WooCommerce had booked when Kassa did not answer. Null: it has answered. */
function noteUnanswered(WC_Order $order, ?int $before): void
{
    if ($before === null && $order->get_meta('_kassa_refund_unanswered') === '') {
        return;
    }
    $order->update_meta_data('_kassa_refund_unanswered', (string) $before);
    $order->save();
}

function refundedElsewhere(int $minor, string $currency): string
{
    /* translators: %s: an amount */
    $text = __('%s of this payment was already refunded elsewhere, or is about to be. Load the order again, and then refund what is left.', 'kassa');
    return sprintf($text, written($minor, $currency));
}

function isAnotherAsked(WC_Order $order, ?WC_Order_Refund $own): bool
{
    foreach ($order->get_refunds() as $refund) {
        if (isAsked($refund) && (!$own || $refund->get_id() !== $own->get_id())) {
            return true;
        }
    }
    return false;
}

/** `$asked`: the payment, what was refunded of it before as WooCommerce knows, and the refund of WooCommerce. */
function refusedRefund(WC_Order $order, array $asked, \Kassa\Error $error): WP_Error
{
    $paymentId = $asked['payment'];
    noteUnanswered($order, $error->retryable ? $asked['before'] : null);
    if (!$error->retryable) {
        forget($asked['refund']);
    }
    if ($error->refundedMinor !== null) {
        // After this request WooCommerce has deleted its refund, and what came from outside is booked.
        add_action('shutdown', fn () => lookUpSafely($paymentId), 100);
        $known = $error->refundedMinor + (int) $error->pendingRefundMinor;
        if ($known < $asked['before'] && isAnotherAsked($order, $asked['refund'])) {
            return new WP_Error('kassa', __('Another refund of this order is just being made. Load the order again, and then refund what is left.', 'kassa'));
        }
        if ($known >= $asked['before']) {
            return new WP_Error('kassa', refundedElsewhere($known, $order->get_currency()));
        }
        /* translators: %s: an amount */
        $text = __('Kassa has only %s of the refunds in this order. Delete the one that has failed, and then refund again.', 'kassa');
        return new WP_Error('kassa', sprintf($text, written($known, $order->get_currency())));
    }
    if ($error->retryable) {
        // Its event may have come already, and have been compared with the refund that WooCommerce deletes now.
        add_action('shutdown', fn () => decideSafely($paymentId), 100);
        return new WP_Error('kassa', __('Kassa did not answer. Load the order again: if the refund was made, it stands there. Otherwise refund the same amount again, which is not made twice.', 'kassa'));
    }
    return new WP_Error('kassa', trim("$error->message $error->whatToDo"));
}
