<?php

/**
 * Returns what you ask for a payment: ['amountMinor' => ..., 'currency' => ...], or null. A payment that you created has your order's
 * reference. A payment of the button has the product in its metadata and a generated reference. A payment of a subscription has your
 * reference for it, a slash and the number of the period.
 */
function find_order(array $payment): ?array
{
    // Only to try it out, with the file prices.json: {"orders": {"order-1": {"amountMinor": 1900, "currency": "USD"}}, "products":
    // {"tea": {"amountMinor": 190000, "currency": "AMD"}}, "subscriptions": {"box-1": ...}}. Ask your own database instead.
    $file = __DIR__ . '/prices.json';
    $prices = is_file($file) ? json_decode(file_get_contents($file), true, 16, JSON_THROW_ON_ERROR) : [];
    $reference = $payment['merchantOrderId'];
    $metadata = $payment['metadata'] ?? [];
    switch ($metadata['source'] ?? null) {
        case 'widget':
            return $prices['products'][$metadata['productId']] ?? null;
        case 'subscription':
            return $prices['subscriptions'][preg_replace('~/\d+$~D', '', $reference)] ?? null;
        default:
            return $prices['orders'][$reference] ?? null;
    }
}
