<?php

/** Refunds on which the bank still works. One that fails is taken out of the order again. */

declare(strict_types=1);

namespace Kassa\WordPress;

use Throwable;
use WC_Order;

const REFUND_LOOK_SECONDS = [20, 60, 300, 1800, 7200, 43200];
const ASKED_REFUND_SECONDS = 600;
/** Ten days or so, because some banks take a week. */
const REFUND_LOOKS_MAX = 26;

function watchRefund(int $orderId, string $operationId, int $looks): void
{
    $pause = REFUND_LOOK_SECONDS[min($looks, count(REFUND_LOOK_SECONDS) - 1)];
    as_schedule_single_action(time() + $pause, 'kassa_watch_refund', [$orderId, $operationId, $looks + 1], 'kassa');
}

/** A process that ends between WooCommerce's refund and Kassa's answer leaves a refund of which nobody knows whether it was made. */
function checkAskedRefund(int $orderId, int $refundId): void
{
    as_schedule_single_action(time() + ASKED_REFUND_SECONDS, 'kassa_asked_refund', [$orderId, $refundId], 'kassa');
}

add_action('kassa_asked_refund', function (int $orderId, int $refundId): void {
    try {
        withOrder($orderId, fn (WC_Order $order) => settleAskedRefund($order, $refundId));
    } catch (Throwable $error) {
        error_log("Kassa: $error");
        checkAskedRefund($orderId, $refundId);
    }
}, 10, 2);

function settleAskedRefund(WC_Order $order, int $refundId): void
{
    $refund = wc_get_order($refundId);
    if (!$refund) {
        // WooCommerce has deleted it after an error, or a person has. Kassa may have made it nevertheless.
        lookUp((string) payerOf($order->get_id()));
        return;
    }
    if ($refund->get_meta('_kassa_refund') !== 'asked') {
        return;
    }
    $found = kassa()->lookUp((string) payerOf($order->get_id()));
    if (!$found->ok) {
        checkAskedRefund($order->get_id(), $refundId);
    } elseif ($found->value['refundedMinor'] >= bookedMinor($order)) {
        $refund->update_meta_data('_kassa_refund', 'found');
        $refund->save();
    } else {
        $refund->delete(true);
        askStaff($order, __('A refund was begun and not made, because the page was interrupted. It was taken out of the order. Check the status of the order, and refund again.', 'kassa'));
    }
}

add_action('kassa_watch_refund', function (int $orderId, string $operationId, int $looks): void {
    try {
        withOrder($orderId, fn (WC_Order $order) => lookAtRefund($order, $operationId, $looks));
    } catch (Throwable $error) {
        error_log("Kassa: $error");
        watchRefund($orderId, $operationId, $looks);
    }
}, 10, 3);

function lookAtRefund(WC_Order $order, string $operationId, int $looks): void
{
    $found = kassa()->lookUpOperation($operationId);
    $status = $found->ok ? $found->value['status'] : '';
    if ($status === 'succeeded') {
        /* translators: %s: the id of an operation */
        note($order, sprintf(__('The refund %s has been made.', 'kassa'), $operationId));
    } elseif ($status === 'failed') {
        unbookRefund($order, $operationId, $found->value['statusReason'] ?? '');
        // A refund from outside may have come meanwhile, and looked like ours.
        lookUpSafely((string) payerOf($order->get_id()));
    } elseif ($looks < REFUND_LOOKS_MAX) {
        watchRefund($order->get_id(), $operationId, $looks);
    } else {
        /* translators: %s: the id of an operation */
        askStaff($order, sprintf(__('The refund %s is still undecided. Ask whoever runs your Kassa.', 'kassa'), $operationId));
    }
}

function unbookRefund(WC_Order $order, string $operationId, string $reason): void
{
    foreach ($order->get_refunds() as $refund) {
        if ($refund->get_meta('_kassa_refund') === $operationId) {
            $refund->delete(true);
        }
    }
    countRefundFailure($order);
    /* translators: 1: the id of an operation, 2: the bank's reason */
    askStaff($order, sprintf(__('The bank has refused the refund %1$s: %2$s. It was taken out of the order. Check the status of the order.', 'kassa'), $operationId, $reason));
}
