<?php

/** Who deletes the plug-in takes its secrets away. What is known of payments stays, because the orders stay. */

defined('WP_UNINSTALL_PLUGIN') || exit;

delete_option('woocommerce_kassa_settings');
