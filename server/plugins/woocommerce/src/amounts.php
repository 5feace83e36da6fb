<?php

/** Amounts of WooCommerce, which are text with decimals, and of Kassa, which are whole minor units. Nothing is rounded. */

declare(strict_types=1);

namespace Kassa\WordPress;

use function Kassa\toMajor;
use function Kassa\toMinor;

/** Returns the minor units of an amount. Orders in tables of their own have eight decimals, of which zeros at the end say nothing. */
function minorOf($amount, string $currency): int
{
    $text = is_string($amount) ? $amount : wc_format_decimal($amount, wc_get_price_decimals());
    $plain = strpos($text, '.') === false ? $text : rtrim(rtrim($text, '0'), '.');
    return preg_match('/^0*$/D', $plain) ? 0 : toMinor($plain, $currency, digits());
}

function majorOf(int $minor, string $currency): string
{
    return toMajor($minor, $currency, digits());
}

/** Whether WooCommerce can hold this amount with the decimals that are set. */
function isExact(int $minor, string $currency): bool
{
    return minorOf(wc_format_decimal(majorOf($minor, $currency), wc_get_price_decimals()), $currency) === $minor;
}

/** Returns why orders in this currency cannot be paid exactly, or null. */
function whyUnsuitable(string $currency): ?string
{
    $places = digits()[$currency] ?? null;
    if ($places === null) {
        /* translators: %s: a currency code */
        return sprintf(__('Kassa does not take payments in %s.', 'kassa'), $currency);
    }
    if (wc_get_price_decimals() > $places) {
        /* translators: 1: a currency code, 2: how many */
        $text = __('An amount in %1$s has at most %2$d decimals. Reduce the number of decimals in the general settings of WooCommerce.', 'kassa');
        return sprintf($text, $currency, $places);
    }
    return null;
}

/** For people: 19.00 USD. */
function written(int $minor, string $currency): string
{
    return majorOf($minor, $currency) . " $currency";
}
