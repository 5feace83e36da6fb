<?php

/** What the plug-in holds: the address of Kassa, the merchant token and the callback secret. And the calls that are made with them. */

declare(strict_types=1);

namespace Kassa\WordPress;

use Kassa\Client;
use RuntimeException;

use function Kassa\openKassa;

use const Kassa\CURRENCY_DIGITS;

/** WooCommerce's own name for the settings of the gateway `kassa`. */
const OPTION = 'woocommerce_kassa_settings';
/** A buyer waits for these calls, so they are shorter than the client's own. */
const TIMEOUT_SECONDS = 10;
const ANSWER_BYTES_MAX = 1048576;

function setting(string $name): string
{
    $settings = get_option(OPTION, []);
    $value = is_array($settings) ? $settings[$name] ?? '' : '';
    return is_string($value) ? $value : '';
}

function isConnected(): bool
{
    return setting('url') !== '' && setting('token') !== '' && setting('secret') !== '';
}

/** `$settings`: another address or token than the stored ones. Throws if one of them has a wrong form. */
function kassa(array $settings = []): Client
{
    return openKassa($settings + [
        'url' => setting('url'),
        'token' => setting('token'),
        'timeoutSeconds' => TIMEOUT_SECONDS,
        'send' => __NAMESPACE__ . '\send',
    ]);
}

/** WordPress's own way out, so that its proxies, its certificates and its filters count here too. */
function send(string $method, string $url, array $headers, ?string $body, float $timeout): array
{
    $request = ['method' => $method, 'headers' => $headers, 'timeout' => $timeout, 'limit_response_size' => ANSWER_BYTES_MAX];
    // The token must not follow a redirect to another host.
    $answer = wp_remote_request($url, $request + ['redirection' => 0] + ($body === null ? [] : ['body' => $body]));
    if (is_wp_error($answer)) {
        throw new RuntimeException($answer->get_error_message());
    }
    $answered = [];
    foreach (wp_remote_retrieve_headers($answer) as $name => $value) {
        $answered[strtolower($name)] = is_array($value) ? (string) end($value) : (string) $value;
    }
    return [(int) wp_remote_retrieve_response_code($answer), $answered, wp_remote_retrieve_body($answer)];
}

/** For each currency, its digits behind the decimal point, as Kassa said when the settings were saved. */
function digits(): array
{
    $stored = json_decode(setting('digits'), true);
    return is_array($stored) && $stored ? array_filter($stored, 'is_int') : CURRENCY_DIGITS;
}

/** Tells apart shops of one merchant. Plug-ins for languages change `home_url`, so it is read as it is stored. */
function shopAddress(): string
{
    return untrailingslashit((string) get_option('home'));
}

function isTestMoney(): bool
{
    return strpos(setting('token'), 'ksk_sandbox_') === 0;
}
