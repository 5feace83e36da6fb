<?php

/** WooCommerce cancels unpaid orders after a while. It does so only after Kassa has said that no money can come. */

declare(strict_types=1);

namespace Kassa\WordPress;

use Throwable;
use WC_Order;

add_filter('woocommerce_cancel_unpaid_order', function ($shouldCancel, $order) {
    if (!$shouldCancel || !$order instanceof WC_Order || $order->get_payment_method() !== 'kassa') {
        return $shouldCancel;
    }
    try {
        $isClosed = closeOrder($order->get_id(), __('The time to pay has passed.', 'kassa'));
    } catch (Throwable $error) {
        error_log("Kassa: $error");
        return false;
    }
    // It is cancelled by then, unless no payment was ever opened, or an earlier one has failed.
    return $isClosed && wc_get_order($order->get_id())->has_status('pending');
}, 10, 2);
