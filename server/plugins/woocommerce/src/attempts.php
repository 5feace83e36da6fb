<?php

/** Opens a payment for an order. An order has one open payment at a time, and all of them have the order's number. */

declare(strict_types=1);

namespace Kassa\WordPress;

use InvalidArgumentException;
use Kassa\Error;
use RuntimeException;
use WC_Order;

use function Kassa\actOf;
use function Kassa\keyOf;

/** The buyer reads its message. */
final class Refusal extends RuntimeException
{
}

const NAME_CHARS_MAX = 120;
const PHONE_CHARS_MAX = 80;
const EMAIL_CHARS_MAX = 160;

/** Returns where to send the buyer. */
function startPayment(int $orderId): string
{
    return (string) withOrder($orderId, function (WC_Order $order): string {
        $open = openPayment($order);
        if (is_string($open)) {
            return $open;
        }
        // The look-up may have decided the order.
        $order = wc_get_order($order->get_id());
        if (!$order->needs_payment()) {
            throw new Refusal(__('This order cannot be paid any more. Please start again from your cart.', 'kassa'));
        }
        $payment = $open ?? createPayment($order);
        $isWanted = $payment['amountMinor'] === minorOf($order->get_total('edit'), $order->get_currency())
            && $payment['currency'] === $order->get_currency();
        if (!$isWanted || !isset($payment['checkoutUrl'])) {
            closePayment($order, $payment['id'], __('The order has changed.', 'kassa'));
            $payment = createPayment(wc_get_order($order->get_id()));
        }
        return $payment['checkoutUrl'];
    });
}

/** Returns the payment that the buyer can go on with, the address of the order if it is paid, or null. */
function openPayment(WC_Order $order)
{
    $id = (string) $order->get_meta('_kassa_payment');
    if ($id === '') {
        return null;
    }
    $before = seenAt($id);
    $found = kassa()->lookUp($id);
    if (!$found->ok) {
        throw new Refusal(tellBuyer($found->error));
    }
    remember($found->value, $order->get_id(), $before);
    decide($id);
    $payment = $found->value;
    switch (actOf($payment['status'])) {
        case 'deliver':
            return $order->get_checkout_order_received_url();
        case 'wait':
            if ($payment['status'] !== 'authorized' && !isset($payment['processingSince'])) {
                return $payment;
            }
            // No break: the money may come without a further act of the buyer.
        case 'hold':
            throw new Refusal(__('Your payment of this order is being processed. Please do not pay again.', 'kassa'));
        default:
            return null;
    }
}

/**
 * Creates a payment, or finds the one that an earlier request without an answer may have created: the request is stored before it is
 * sent, and sent again unchanged with its key.
 */
function createPayment(WC_Order $order): array
{
    $request = json_decode((string) $order->get_meta('_kassa_request'), true);
    if (!is_array($request)) {
        $request = requestOf($order);
        $order->update_meta_data('_kassa_attempt', (string) (1 + (int) $order->get_meta('_kassa_attempt')));
        $order->update_meta_data('_kassa_request', (string) wp_json_encode($request));
        $order->save();
    }
    $key = keyOf('pay', shopAddress(), $order->get_id(), (int) $order->get_meta('_kassa_attempt'));
    $made = kassa()->createPayment($request, ['key' => $key]);
    if (!$made->ok && $made->error->retryable) {
        throw new Refusal(tellBuyer($made->error));
    }
    $order->delete_meta_data('_kassa_request');
    if ($made->ok) {
        $order->update_meta_data('_kassa_payment', $made->value['id']);
        remember($made->value, $order->get_id());
    }
    $order->save();
    if (!$made->ok) {
        note($order, "Kassa: {$made->error->message} {$made->error->whatToDo} " . implode(' ', $made->error->fields));
        throw new Refusal(tellBuyer($made->error));
    }
    return $made->value;
}

function requestOf(WC_Order $order): array
{
    try {
        $amountMinor = minorOf($order->get_total('edit'), $order->get_currency());
    } catch (InvalidArgumentException $wrong) {
        note($order, $wrong->getMessage());
        throw new Refusal(__('This order cannot be paid in this way. Please choose another one.', 'kassa'));
    }
    /* translators: 1: the number of an order, 2: the shop's name */
    $description = sprintf(__('Order %1$s at %2$s', 'kassa'), $order->get_order_number(), wp_specialchars_decode(get_bloginfo('name'), ENT_QUOTES));
    $email = $order->get_billing_email();
    $customer = [
        'email' => is_email($email) && strlen($email) <= EMAIL_CHARS_MAX ? $email : '',
        'phone' => mb_substr($order->get_billing_phone(), 0, PHONE_CHARS_MAX),
        'name' => mb_substr(trim($order->get_formatted_billing_full_name()), 0, NAME_CHARS_MAX),
    ];
    $request = [
        'merchantOrderId' => (string) $order->get_id(),
        'amountMinor' => $amountMinor,
        'currency' => $order->get_currency(),
        'returnUrl' => $order->get_checkout_order_received_url(),
        'customer' => array_filter($customer, 'strlen'),
        'metadata' => ['shop' => shopAddress(), 'description' => $description, 'locale' => language()],
    ];
    return apply_filters('kassa_payment', $request, $order);
}

function tellBuyer(Error $error): string
{
    return $error->retryable
        ? __('The payment service cannot be reached now. You have not been charged. Please try again in a minute.', 'kassa')
        : __('The payment could not be started. You have not been charged. Please choose another way to pay, or ask the shop.', 'kassa');
}
