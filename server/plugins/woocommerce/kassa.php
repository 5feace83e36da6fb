<?php

/**
 * Plugin Name: Kassa
 * Description: Pay through Kassa in WooCommerce, with refunds and captures, and the Kassa pay button for any page.
 * Version: 0.3.0
 * Requires at least: 6.1
 * Requires PHP: 7.4
 * License: MIT
 * Text Domain: kassa
 * WC requires at least: 7.9
 * WC tested up to: 11.0
 */

declare(strict_types=1);

namespace Kassa\WordPress;

defined('ABSPATH') || exit;

const VERSION = '0.3.0';
const FILE = __FILE__;

// Another plug-in may have loaded the client already.
if (!function_exists('Kassa\openKassa')) {
    require_once __DIR__ . '/client/Kassa.php';
}
foreach (['settings', 'translations', 'button', 'button-page'] as $name) {
    require_once __DIR__ . "/src/$name.php";
}
add_action('plugins_loaded', function (): void {
    if (class_exists('WooCommerce')) {
        require_once __DIR__ . '/src/shop.php';
    }
});
add_filter('plugin_action_links_' . plugin_basename(__FILE__), function (array $links): array {
    $page = class_exists('WooCommerce') ? 'admin.php?page=wc-settings&tab=checkout&section=kassa' : 'options-general.php?page=kassa';
    $link = sprintf('<a href="%s">%s</a>', esc_url(admin_url($page)), esc_html__('Settings', 'kassa'));
    return array_merge(['settings' => $link], $links);
});
// WooCommerce asks before it loads its plug-ins which of its features they work with.
add_action('before_woocommerce_init', function (): void {
    if (class_exists('Automattic\WooCommerce\Utilities\FeaturesUtil')) {
        foreach (['custom_order_tables', 'cart_checkout_blocks'] as $feature) {
            \Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility($feature, __FILE__, true);
        }
    }
});
