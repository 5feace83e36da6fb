<?php

/**
 * What a payment does to its order. Events, returns and look-ups all store what they learn, and all come here: under the order's lock,
 * with the newest state. A state that was decided before is not decided again, but what went back is compared with the order each time.
 */

declare(strict_types=1);

namespace Kassa\WordPress;

use RuntimeException;
use WC_Order;

use function Kassa\actOf;
use function Kassa\doubtOf;

/** Orders in which money may still arrive in the ordinary way. */
const AWAITING = ['pending', 'failed', 'on-hold', 'checkout-draft'];

function decide(string $paymentId): void
{
    $found = findPayment($paymentId);
    if (!$found) {
        return;
    }
    withOrder((int) $found['order_id'], function (WC_Order $order) use ($paymentId): void {
        $row = findPayment($paymentId);
        $payment = json_decode($row['payment'], true);
        $state = stateOf($payment);
        if ($row['decided'] !== $state) {
            applyPayment($order, $payment, $row);
        } else {
            // The staff may have deleted a refund, or the bank refused one of ours, since the state was decided.
            bookReturned($order, $payment, false);
        }
        // An event that has come meanwhile stays pending. The database sets one column after the other.
        query(
            'update ' . table() . ' set looks = if(decided = %s, looks, 0), look_at = if(decided = %s, look_at, %d), decided = %s, pending = 0
            where payment_id = %s and seen_at = %s',
            [$state, $state, nextLookAt($payment, 0), $state, $paymentId, $row['seen_at']]
        );
    });
    // The order is gone for good.
    if (!wc_get_order((int) $found['order_id'])) {
        withLock((int) $found['order_id'], fn () => decideWithoutOrder($paymentId));
    }
}

/** Money that comes for an order that was deleted is told, once for each state. */
function decideWithoutOrder(string $paymentId): void
{
    $row = findPayment($paymentId);
    $payment = json_decode($row['payment'], true);
    $state = stateOf($payment);
    if ($row['decided'] !== $state && ($payment['status'] === 'authorized' || actOf($payment['status']) === 'deliver')) {
        tellDeleted($payment, (int) $row['order_id']);
    }
    query(
        'update ' . table() . ' set pending = 0, look_at = %d, decided = %s where payment_id = %s and seen_at = %s',
        [NEVER, $state, $paymentId, $row['seen_at']]
    );
}

function stateOf(array $payment): string
{
    $isProcessing = isset($payment['processingSince']) ? 'processing' : '';
    return implode(' ', [$payment['status'], $payment['capturedMinor'] ?? 0, $payment['refundedMinor'] ?? 0, $isProcessing]);
}

/** Returns the status of a state. */
function statusIn(string $state): string
{
    return explode(' ', $state)[0];
}

function applyPayment(WC_Order $order, array $payment, array $row): void
{
    switch (actOf($payment['status'])) {
        case 'deliver':
            payOrder($order, $payment, $row);
            takeBackRest($order, $payment, $row);
            break;
        case 'close':
            endOrder($order, $payment, statusIn($row['decided']));
            break;
        case 'take_back':
            takeBack($order, $payment, $row);
            break;
        case 'hold':
            holdOrder($order, __('The bank has not told how this payment stands. Neither deliver nor cancel the order yet.', 'kassa'));
            break;
        default:
            // Money that has paid an order is not held again, whatever an answer that was late says.
            if ($payment['status'] === 'authorized' && payerOf($order->get_id()) !== $payment['id']) {
                holdOrder($order, __('The money is held, and not taken yet. Take it or let it go under “Order actions”.', 'kassa'));
            }
    }
}

/** Asks a person instead wherever money and order do not fit. A cancelled order is not revived. */
function payOrder(WC_Order $order, array $payment, array $row): void
{
    $id = $payment['id'];
    $payer = payerOf($order->get_id());
    if ($payer === $id && $order->get_date_paid()) {
        // A refund that has failed is told by `takeBackRest`.
        if (in_array(statusIn($row['decided']), ['disputed', 'reversed'], true)) {
            askStaff($order, __('This payment was reversed or disputed, and now it is paid again. Decide what becomes of the order.', 'kassa'));
        }
        return;
    }
    $sum = written($payment['amountMinor'], $payment['currency']);
    if ($payer !== null && $payer !== $id) {
        /* translators: 1: an amount, 2: the id of a payment, 3: the id of another payment */
        $text = __('A second payment of this order has brought %1$s: %2$s. The first one is %3$s. Give one of them back.', 'kassa');
        askStaff($order, sprintf($text, $sum, $id, $payer));
        return;
    }
    if (!$order->has_status(AWAITING)) {
        /* translators: 1: an amount, 2: the id of a payment, 3: the status of an order */
        $text = __('%1$s has been paid (%2$s), but the order is “%3$s”. It was not changed. Give the money back, or take the order up again.', 'kassa');
        askStaff($order, sprintf($text, $sum, $id, wc_get_order_status_name($order->get_status())));
        return;
    }
    $asked = [
        'amountMinor' => minorOf($order->get_total('edit'), $order->get_currency()),
        'currency' => $order->get_currency(),
        'merchantOrderId' => (string) $order->get_id(),
    ];
    $doubt = doubtOf($payment, $asked, ['wasTakenBack' => (bool) $row['taken_back']]);
    if ($doubt !== null) {
        $order->update_status('on-hold');
        /* translators: 1: the id of a payment, 2: what does not fit */
        askStaff($order, sprintf(__('Look at the payment %1$s before you deliver: %2$s.', 'kassa'), $id, $doubt));
        return;
    }
    if (!claimOrder($id, $order->get_id())) {
        payOrder($order, $payment, $row);
        return;
    }
    if (!$order->payment_complete($id)) {
        throw new RuntimeException("WooCommerce has not completed order {$order->get_id()}.");
    }
    /* translators: 1: an amount, 2: the id of a payment */
    note($order, sprintf(__('Paid through Kassa: %1$s (%2$s).', 'kassa'), $sum, $id));
}

/**
 * Nothing was paid. A buyer who has failed or gone back can pay the same order again, so it is *failed*, which WooCommerce lets be
 * paid under its number. Where the time has passed, or the order has changed, it is *cancelled*.
 */
function endOrder(WC_Order $order, array $payment, string $before): void
{
    $id = $payment['id'];
    // Orders on hold may be so for a reason of the shop's own.
    $isOpen = $order->has_status(['pending', 'failed']) || ($order->has_status('on-hold') && in_array($before, ['authorized', 'status_unknown'], true));
    if (!$isOpen || payerOf($order->get_id()) !== null || $order->get_meta('_kassa_payment') !== $id) {
        return;
    }
    $texts = [
        'failed' => __('The payment failed at the bank. Nothing was paid.', 'kassa'),
        'cancelled' => __('The buyer went back without paying.', 'kassa'),
        'expired' => __('The time to pay has passed. Nothing was paid.', 'kassa'),
    ];
    $isOver = $payment['status'] === 'expired' || $order->get_meta('_kassa_closed') === $id;
    if ($isOver && $payment['status'] === 'cancelled') {
        $texts['cancelled'] = __('The open payment was closed together with this order.', 'kassa');
    }
    note($order, "{$texts[$payment['status']]} ($id)");
    $order->update_status($isOver ? 'cancelled' : 'failed');
}

function holdOrder(WC_Order $order, string $text): void
{
    if ($order->has_status(['pending', 'failed', 'checkout-draft'])) {
        $order->update_status('on-hold');
        note($order, $text);
    } elseif (!$order->has_status('on-hold')) {
        askStaff($order, $text);
    }
}
