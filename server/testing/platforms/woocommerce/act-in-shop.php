<?php

/** What a test does inside the shop: `fault` names a fault of the bank for the next payments, `expire` ages an order's last change. */

require __DIR__ . '/inside.php';
require "$site/wp-load.php";

switch ($input['do']) {
    case 'fault':
        update_option('test_fault', $input['fault']);
        break;
    case 'ahead':
        // As if Kassa's clock had been set back since.
        $wpdb->update("{$wpdb->prefix}kassa_payments", ['seen_at' => '2099-01-01T00:00:00.000Z'], ['payment_id' => $input['payment']]);
        break;
    case 'expire':
        // WooCommerce's own job for orders that nobody has paid within the hour.
        $then = gmdate('Y-m-d H:i:s', time() - 2 * HOUR_IN_SECONDS);
        $wpdb->update("{$wpdb->prefix}wc_orders", ['date_updated_gmt' => $then], ['id' => $input['order']]);
        wp_cache_flush();
        wc_cancel_unpaid_orders();
        break;
}
