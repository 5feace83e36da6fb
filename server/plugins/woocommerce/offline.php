<?php

/** Runs functions of the plug-in without WordPress, for the tests: reads a list of [function, arguments] and prints the results. */

declare(strict_types=1);

[$decimals, $currency] = [(int) ($argv[1] ?? 2), 'USD'];
function add_action(): void
{
}
function get_option(string $name, $otherwise = false)
{
    return $otherwise;
}
function __(string $text): string
{
    return $text;
}
function wc_get_price_decimals(): int
{
    return $GLOBALS['decimals'];
}
function wc_format_decimal($number, int $places): string
{
    return number_format((float) $number, $places, '.', '');
}

const MINUTE_IN_SECONDS = 60;
const DAY_IN_SECONDS = 86400;
require dirname(__DIR__, 2) . '/clients/php/Kassa.php';
foreach (['settings', 'amounts', 'look-ups', 'checks'] as $name) {
    require __DIR__ . "/src/$name.php";
}
foreach (json_decode((string) stream_get_contents(STDIN), true) as [$function, $arguments]) {
    try {
        $result = ['returned' => ("Kassa\\WordPress\\$function")(...$arguments)];
    } catch (InvalidArgumentException $refused) {
        $result = ['refused' => $refused->getMessage()];
    }
    echo json_encode($result), "\n";
}
