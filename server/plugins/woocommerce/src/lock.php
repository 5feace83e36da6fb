<?php

/** One process at a time decides an order. The lock is the database's, which ends it with the process that holds it. */

declare(strict_types=1);

namespace Kassa\WordPress;

use RuntimeException;
use WC_Order;

const LOCK_SECONDS = 30;

/** Runs `$work` with the order as it is stored now. Returns its result, or null if there is no such order. */
function withOrder(int $orderId, callable $work)
{
    return withLock($orderId, function () use ($orderId, $work) {
        // What this process has read before may have changed while it waited.
        wp_cache_flush_runtime();
        $order = wc_get_order($orderId);
        return $order instanceof WC_Order ? $work($order) : null;
    });
}

/** Returns the result of `$work`. The order may have been deleted. */
function withLock(int $orderId, callable $work)
{
    global $wpdb;
    // The names of locks are the whole server's, and have 64 characters at most.
    $name = 'kassa_' . substr(md5(DB_NAME . $wpdb->prefix), 0, 16) . "_$orderId";
    if ($wpdb->get_var($wpdb->prepare('select get_lock(%s, %d)', $name, LOCK_SECONDS)) !== '1') {
        throw new RuntimeException("Order $orderId is worked on by another process.");
    }
    try {
        return $work();
    } finally {
        $wpdb->get_var($wpdb->prepare('select release_lock(%s)', $name));
    }
}
