<?php

/** Who deletes the plug-in takes its secrets away. What is known of payments stays, because the orders stay. */

defined('WP_UNINSTALL_PLUGIN') || exit;

if (is_multisite()) {
    // Each site of a network has its own.
    foreach (get_sites(['fields' => 'ids', 'number' => 0]) as $site) {
        delete_blog_option($site, 'woocommerce_kassa_settings');
        delete_blog_option($site, 'kassa_event_proof');
    }
} else {
    delete_option('woocommerce_kassa_settings');
    delete_option('kassa_event_proof');
}
