<?php

/** Money that is held: two entries of the list "Order actions" take it and let it go. */

declare(strict_types=1);

namespace Kassa\WordPress;

use Throwable;
use WC_Order;

use function Kassa\keyOf;

function heldPayment(WC_Order $order): ?array
{
    $row = $order->get_payment_method() === 'kassa' ? findPayment((string) $order->get_meta('_kassa_payment')) : null;
    $payment = $row ? json_decode($row['payment'], true) : null;
    return $payment && $payment['status'] === 'authorized' ? $payment : null;
}

// WooCommerce gives the order since version 5.8.
add_filter('woocommerce_order_actions', function (array $actions, $order = null): array {
    if ($order instanceof WC_Order && heldPayment($order)) {
        $actions['kassa_capture'] = __('Take the held money (Kassa)', 'kassa');
        $actions['kassa_void'] = __('Let the held money go (Kassa)', 'kassa');
    }
    return $actions;
}, 10, 2);
add_action('woocommerce_order_action_kassa_capture', function (WC_Order $order): void {
    operate($order->get_id(), 'capture', __('Take the held money (Kassa)', 'kassa'));
});
add_action('woocommerce_order_action_kassa_void', function (WC_Order $order): void {
    letGo($order->get_id());
});

/** Somebody may deliver now. */
function warnOfHeldMoney(int $orderId, WC_Order $order): void
{
    if (heldPayment($order)) {
        askStaff($order, __('The money of this order is only held. Take it under “Order actions” before you deliver.', 'kassa'));
    }
}
add_action('woocommerce_order_status_processing', __NAMESPACE__ . '\warnOfHeldMoney', 10, 2);
add_action('woocommerce_order_status_completed', __NAMESPACE__ . '\warnOfHeldMoney', 10, 2);

function letGo(int $orderId): void
{
    operate($orderId, 'void', __('Let the held money go (Kassa)', 'kassa'));
}

function operate(int $orderId, string $what, string $name): void
{
    try {
        withOrder($orderId, fn (WC_Order $order) => operateOrder($order, $what, $name));
    } catch (Throwable $error) {
        error_log("Kassa: $error");
        $order = wc_get_order($orderId);
        if ($order) {
            note($order, "$name: {$error->getMessage()}");
        }
    }
}

function operateOrder(WC_Order $order, string $what, string $name): void
{
    // Somebody may have taken the money from outside. A void would then undo the payment.
    if (heldPayment($order) && lookUpOrder($order) === null) {
        note($order, "$name: " . __('Kassa did not answer, so nothing was done. Try again in a minute.', 'kassa'));
        return;
    }
    $order = wc_get_order($order->get_id());
    $payment = heldPayment($order);
    if (!$payment) {
        note($order, "$name: " . __('No money is held for this order.', 'kassa'));
        return;
    }
    // The same wish has the same key until it is known to have failed.
    $failures = (int) $order->get_meta("_kassa_{$what}_failures");
    $options = ['key' => keyOf($what, $payment['id'], $failures)];
    $made = kassa()->$what($payment['id'], ['reason' => __('Decided in WooCommerce', 'kassa')], $options);
    $operation = $made->ok ? $made->value['operation'] : null;
    if ($operation && $operation['status'] === 'failed') {
        $order->update_meta_data("_kassa_{$what}_failures", (string) ($failures + 1));
        $order->save();
    }
    $isRefused = !$operation || $operation['status'] === 'failed';
    note($order, "$name: " . ($isRefused ? refusedOperation($made) : __('Sent to the bank.', 'kassa')));
    lookUp($payment['id']);
}

function refusedOperation(\Kassa\Result $made): string
{
    return $made->ok ? (string) ($made->value['operation']['statusReason'] ?? '') : "{$made->error->message} {$made->error->whatToDo}";
}
