<?php

/** Looks payments up when their buyer comes back, and now and then while they are open, in case no event arrives. */

declare(strict_types=1);

namespace Kassa\WordPress;

use Throwable;
use WC_Order;

use function Kassa\actOf;

/** After a change the payment is looked up after so many seconds; then the last one again and again. */
const LOOK_AFTER_SECONDS = [60, 120, 300, 900, 3600, 21600];
/** A payment whose money is there is looked up after so many days, for refunds and disputes of which no event came. */
const SETTLED_LOOK_DAYS = [1, 7, 30, 90];
const NEVER = 4102444800;
const HTTP_NOT_FOUND = 404;

/** `$looks`: how often the payment was looked up in this state. */
function nextLookAt(array $payment, int $looks): int
{
    switch (actOf($payment['status'])) {
        case 'close':
            return NEVER;
        case 'deliver':
        case 'take_back':
            return isset(SETTLED_LOOK_DAYS[$looks]) ? time() + SETTLED_LOOK_DAYS[$looks] * DAY_IN_SECONDS : NEVER;
        default:
            return time() + LOOK_AFTER_SECONDS[min($looks, count(LOOK_AFTER_SECONDS) - 1)];
    }
}

/** Nothing was paid, and nothing is on its way. */
function isUnpaid(array $payment): bool
{
    $act = actOf($payment['status']);
    return $act === 'close' || ($act === 'wait' && $payment['status'] !== 'authorized' && !isset($payment['processingSince']));
}

/** Returns the payment as it is now, or null if Kassa does not tell. */
function lookUp(string $paymentId): ?array
{
    $row = findPayment($paymentId);
    if (!$row) {
        return null;
    }
    $found = kassa(['tries' => 1])->lookUp($paymentId);
    // Another merchant's token does not know the payments of before.
    $isUnknown = !$found->ok && $found->error->status === HTTP_NOT_FOUND;
    $looks = (int) $row['looks'] + 1;
    // Set first, so that a payment that cannot be decided does not keep others waiting.
    $next = $isUnknown ? NEVER : nextLookAt(json_decode($row['payment'], true), $looks);
    query('update ' . table() . ' set looks = %d, look_at = %d where payment_id = %s', [$looks, $next, $paymentId]);
    if ($isUnknown && (int) $row['look_at'] !== NEVER) {
        tellUnknown((int) $row['order_id'], $paymentId);
    }
    if (!$found->ok) {
        return null;
    }
    remember($found->value, (int) $row['order_id'], $row['seen_at']);
    decide($paymentId);
    return $found->value;
}

/** It is not looked up any more, so this is told once. A later event is taken all the same. */
function tellUnknown(int $orderId, string $paymentId): void
{
    $order = wc_get_order($orderId);
    if ($order) {
        /* translators: %s: the id of a payment */
        askStaff($order, sprintf(__('Kassa does not know the payment %s with the token of the settings. Was the token of another merchant saved there? Ask whoever runs your Kassa whether it was paid, before you deliver or cancel.', 'kassa'), $paymentId));
    }
}

function lookUpSafely(string $paymentId): void
{
    try {
        lookUp($paymentId);
    } catch (Throwable $error) {
        error_log("Kassa: the payment $paymentId is looked up later: $error");
    }
}

/** Returns the newest payment of an order as it is now, or null. */
function lookUpOrder(WC_Order $order): ?array
{
    return lookUp((string) $order->get_meta('_kassa_payment'));
}
