<?php

/**
 * The newest state of each payment that this shop has opened, in a table of its own. An event is stored here before it is answered.
 * The table also says which payment has paid an order: its unique key lets one payment do that.
 */

declare(strict_types=1);

namespace Kassa\WordPress;

use RuntimeException;

use function Kassa\actOf;

const TABLE_VERSION = '1';

function table(): string
{
    return $GLOBALS['wpdb']->prefix . 'kassa_payments';
}

/**
 * `order_id`: the order of WooCommerce. `seen_at`: when Kassa changed the payment last. `decided`: the state on which the order was
 * decided. `pending`: it is still to be decided. `taken_back`: money has gone back or was disputed at some time. `pays`: the order that
 * it has paid. `look_at`: when to look it up again, in seconds since 1970.
 */
function installPayments(): void
{
    global $wpdb;
    if (get_option('kassa_table') === TABLE_VERSION) {
        return;
    }
    query('create table if not exists ' . table() . " (
        payment_id varchar(120) character set ascii not null, order_id bigint unsigned not null, payment longtext not null,
        seen_at varchar(40) not null, decided varchar(120) not null default '', pending tinyint not null, taken_back tinyint not null,
        pays bigint unsigned null, looks int not null default 0, look_at bigint not null,
        primary key (payment_id), unique key pays (pays), key order_id (order_id), key pending (pending), key look_at (look_at)
    ) {$wpdb->get_charset_collate()}");
    update_option('kassa_table', TABLE_VERSION);
}

/** Returns how many rows have changed. Throws where WordPress would go on. */
function query(string $sql, array $values = []): int
{
    global $wpdb;
    $done = $wpdb->query($values ? $wpdb->prepare($sql, $values) : $sql);
    if ($done === false) {
        throw new RuntimeException("The database has refused a statement: $wpdb->last_error");
    }
    return (int) $done;
}

function findPayment(string $paymentId): ?array
{
    global $wpdb;
    return $wpdb->get_row($wpdb->prepare('select * from ' . table() . ' where payment_id = %s', $paymentId), ARRAY_A);
}

/**
 * Stores what is known of a payment. What is older than the stored state changes nothing, but that money was taken back is kept.
 * `$before`: of a look-up, what `seenAt` was before it. Its answer is the newest state whatever its time says, because Kassa's clock may
 * have been set back. If anything was stored meanwhile, the times decide.
 */
function remember(array $payment, int $orderId, string $before = ''): void
{
    // Who the buyer is stands in the order, and nobody looks for it here.
    unset($payment['customer'], $payment['metadata']);
    $isTakenBack = actOf($payment['status']) === 'take_back' ? 1 : 0;
    query(
        'insert into ' . table() . ' (payment_id, order_id, payment, seen_at, pending, taken_back, look_at) values (%s, %d, %s, %s, 1, %d, %d)
        on duplicate key update taken_back = greatest(taken_back, values(taken_back)), pending = 1,
            payment = if(values(seen_at) >= seen_at or seen_at = %s, values(payment), payment),
            seen_at = if(values(seen_at) >= seen_at or seen_at = %s, values(seen_at), seen_at)',
        [
            $payment['id'], $orderId, wp_json_encode($payment), $payment['updatedAt'] ?? '', $isTakenBack,
            time() + LOOK_AFTER_SECONDS[0], $before, $before,
        ]
    );
}

/** When the stored state of a payment is from. A look-up asks before it calls Kassa. */
function seenAt(string $paymentId): string
{
    return findPayment($paymentId)['seen_at'] ?? '';
}

/** Returns the order of this shop to which a payment belongs, or null. `metadata.shop` tells apart shops that share a merchant. */
function orderIdOf(array $payment): ?int
{
    $row = findPayment($payment['id']);
    if ($row) {
        return (int) $row['order_id'];
    }
    // The process may have ended after Kassa had made the payment, and before it was written down here.
    $metadata = $payment['metadata'] ?? [];
    $order = ($metadata['shop'] ?? null) === shopAddress() ? wc_get_order((int) $payment['merchantOrderId']) : null;
    return $order && $order->get_payment_method() === 'kassa' ? $order->get_id() : null;
}

function payerOf(int $orderId): ?string
{
    global $wpdb;
    return $wpdb->get_var($wpdb->prepare('select payment_id from ' . table() . ' where pays = %d', $orderId));
}

/** Returns whether this payment is the one that pays the order. Another one may have been faster. */
function claimOrder(string $paymentId, int $orderId): bool
{
    query('update ignore ' . table() . ' set pays = %d where payment_id = %s and pays is null', [$orderId, $paymentId]);
    return payerOf($orderId) === $paymentId;
}
