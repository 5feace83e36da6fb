<?php

/** A cart that changes while the payment of its order is open: the payment is closed, because it has the old sum. */

declare(strict_types=1);

namespace Kassa\WordPress;

use Throwable;
use WC_Cart;

/** Prices, taxes and costs of delivery follow from it, and are recalculated on many pages. */
function goodsOf(WC_Cart $cart): string
{
    $goods = array_map(fn ($item) => $item['quantity'], $cart->get_cart_contents());
    ksort($goods);
    return md5((string) wp_json_encode([$goods, $cart->get_applied_coupons()]));
}

/** To be called when an order of this buyer has an open payment. An order that was made elsewhere has no cart. */
function watchCart(int $orderId): void
{
    if (WC()->session && WC()->cart && !WC()->cart->is_empty()) {
        WC()->session->set('kassa_order', [$orderId, goodsOf(WC()->cart)]);
    }
}

add_action('woocommerce_after_calculate_totals', function (WC_Cart $cart): void {
    $watched = WC()->session ? WC()->session->get('kassa_order') : null;
    // WooCommerce empties the cart itself when the order has been paid.
    if (!is_array($watched) || $cart->is_empty() || $watched[1] === goodsOf($cart)) {
        return;
    }
    WC()->session->set('kassa_order', null);
    $order = wc_get_order($watched[0]);
    if (!$order || !$order->has_status(['pending', 'failed']) || $order->get_payment_method() !== 'kassa') {
        return;
    }
    try {
        if (closeOrder($order->get_id(), __('The cart has changed.', 'kassa'))) {
            return;
        }
    } catch (Throwable $error) {
        error_log("Kassa: $error");
    }
    as_schedule_single_action(time() + MINUTE_IN_SECONDS, 'kassa_close_changed', [$order->get_id()], 'kassa');
}, 99);
add_action('kassa_close_changed', function (int $orderId): void {
    $order = wc_get_order($orderId);
    if ($order && $order->has_status(['pending', 'failed'])) {
        closeOrder($orderId, __('The cart has changed.', 'kassa'));
    }
});
