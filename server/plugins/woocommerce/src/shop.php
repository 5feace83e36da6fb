<?php

/** The part that needs WooCommerce. */

declare(strict_types=1);

namespace Kassa\WordPress;

$parts = [
    'amounts', 'payments', 'lock', 'staff', 'attempts', 'closing', 'decisions', 'taken-back', 'look-ups', 'events', 'returns', 'cart',
    'event-proof', 'unpaid', 'refunds', 'refund-watch', 'held', 'schedule', 'checks', 'findings', 'gateway',
];
foreach ($parts as $name) {
    require_once __DIR__ . "/$name.php";
}
installPayments();
add_filter('woocommerce_payment_gateways', function (array $gateways): array {
    $gateways[] = Gateway::class;
    return $gateways;
});
add_action('woocommerce_blocks_payment_method_type_registration', function ($registry): void {
    require_once __DIR__ . '/checkout-block.php';
    $registry->register(new CheckoutBlock());
});
