<?php

/** Installs WordPress and WooCommerce with our plug-in, and prints what a test needs to know. */

require __DIR__ . '/inside.php';
define('WP_INSTALLING', true);
require "$site/wp-load.php";
require_once ABSPATH . 'wp-admin/includes/upgrade.php';

wp_install('Tea & Cups', 'staff', 'staff@shop.example', true, '', 'staff-of-a-test');
update_option('permalink_structure', '/%postname%/');
update_option('active_plugins', ['woocommerce/woocommerce.php', 'kassa/kassa.php']);
switch_theme($input['theme']);
