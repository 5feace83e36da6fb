<?php

/** The buyer comes back from Kassa. That proves nothing: the payment is looked up. Who has not paid gets back to the checkout. */

declare(strict_types=1);

namespace Kassa\WordPress;

use Throwable;
use WC_Order;

use function Kassa\actOf;

/** The order whose page this is, if its key is right and it is to be paid through Kassa. */
function returningOrder(): ?WC_Order
{
    if (!is_order_received_page()) {
        return null;
    }
    $order = wc_get_order(absint(get_query_var('order-received')));
    $key = wc_clean(wp_unslash($_GET['key'] ?? '')); // phpcs:ignore WordPress.Security.NonceVerification.Recommended
    $isOwn = $order instanceof WC_Order && is_string($key) && hash_equals($order->get_order_key(), $key);
    return $isOwn && $order->get_payment_method() === 'kassa' ? $order : null;
}

/** Before WooCommerce empties the cart, which it does for everybody who sees this page. */
add_action('template_redirect', function (): void {
    $order = returningOrder();
    if (!$order || $order->get_date_paid()) {
        return;
    }
    try {
        $payment = lookUpOrder($order);
    } catch (Throwable $error) {
        error_log("Kassa: $error");
        return;
    }
    if ($payment === null || !isUnpaid($payment)) {
        return;
    }
    $isOpen = actOf($payment['status']) === 'wait';
    wc_add_notice($isOpen
        ? __('Your order is not paid yet. You can pay it here.', 'kassa')
        : __('The payment did not succeed. You have not been charged.', 'kassa'), $isOpen ? 'notice' : 'error');
    $order = wc_get_order($order->get_id());
    $isInCart = WC()->cart && !WC()->cart->is_empty();
    $again = $order->needs_payment() ? $order->get_checkout_payment_url() : wc_get_page_permalink('shop');
    wp_safe_redirect($isInCart ? wc_get_checkout_url() : $again);
    exit;
}, 5);

/** The text above the order. WooCommerce says that it has been received, which a buyer reads as paid. */
add_filter('woocommerce_thankyou_order_received_text', function ($text, $order = null) {
    if (!$order instanceof WC_Order || $order->get_payment_method() !== 'kassa' || $order->get_date_paid()) {
        return $text;
    }
    return esc_html($order->has_status('on-hold')
        ? __('Your payment is being checked. You need not do anything, and you will hear from us.', 'kassa')
        : __('We do not know yet whether your payment has succeeded. Please look at this page again in a few minutes, and do not pay again.', 'kassa'));
}, 10, 2);
