<?php

/** Prepares the shop: tables, pages, settings, and a password for the staff's calls. Prints the versions and the password as JSON. */

require __DIR__ . '/inside.php';
define('WP_ADMIN', true);
require "$site/wp-load.php";
require_once ABSPATH . 'wp-admin/includes/admin.php';

// Orders in tables of their own, as every new shop has them since WooCommerce 8.2.
update_option('woocommerce_custom_orders_table_enabled', 'yes');
update_option('woocommerce_feature_custom_order_tables_enabled', 'yes');
WC_Install::install();
WC_Install::create_pages();
wc_get_container()->get(Automattic\WooCommerce\Internal\DataStores\Orders\DataSynchronizer::class)->create_database_tables();
update_option('woocommerce_custom_orders_table_enabled', 'yes');
update_option('woocommerce_custom_orders_table_data_sync_enabled', 'no');
$settings = [
    'woocommerce_currency' => 'USD', 'woocommerce_default_country' => 'AM', 'woocommerce_calc_taxes' => 'no',
    'woocommerce_coming_soon' => 'no', 'woocommerce_enable_guest_checkout' => 'yes', 'woocommerce_task_list_hidden' => 'yes',
    'woocommerce_onboarding_profile' => ['skipped' => true], 'woocommerce_manage_stock' => 'yes', 'woocommerce_hold_stock_minutes' => '60',
];
foreach ($settings as $name => $value) {
    update_option($name, $value);
}
$checkout = $input['checkout'] === 'block' ? '<!-- wp:woocommerce/checkout /-->' : '[woocommerce_checkout]';
if ($input['checkout'] === 'classic' || strpos((string) get_post_field('post_content', wc_get_page_id('checkout')), 'wp:woocommerce/checkout') === false) {
    wp_update_post(['ID' => wc_get_page_id('checkout'), 'post_content' => $checkout]);
}
$staff = get_user_by('login', 'staff');
[$password] = WP_Application_Passwords::create_new_application_password($staff->ID, ['name' => 'test']);
flush_rewrite_rules();
echo json_encode([
    'password' => $password,
    'versions' => ['wordpress' => get_bloginfo('version'), 'woocommerce' => WC()->version, 'php' => PHP_VERSION],
    'usesOwnTables' => Automattic\WooCommerce\Utilities\OrderUtil::custom_orders_table_usage_is_enabled(),
    'checkout' => wc_get_checkout_url(),
    'isBlock' => has_block('woocommerce/checkout', wc_get_page_id('checkout')),
    'callbackUrl' => Kassa\WordPress\eventAddress(),
]);
