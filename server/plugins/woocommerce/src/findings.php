<?php

/** What the settings page says of the connection: what works, and what is still to be done. */

declare(strict_types=1);

namespace Kassa\WordPress;

/** Returns findings: `[true, ...]` is well, `[false, ...]` is to be mended. */
function findProblems(): array
{
    if (!isConnected()) {
        return [[false, __('Fill in the three fields. Whoever runs your Kassa has the values.', 'kassa')]];
    }
    $asked = kassa(['tries' => 1])->capabilities();
    if (!$asked->ok) {
        return [[false, explainError($asked->error)]];
    }
    $is = $asked->value;
    $currency = get_woocommerce_currency();
    $unsuitable = whyUnsuitable($currency);
    return array_merge(
        setting('enabled') === 'yes'
            ? []
            : [[false, __('Buyers are not offered Kassa yet. Tick “Enabled” above and save.', 'kassa')]],
        [[true, isTestMoney()
            /* translators: %s: the merchant's name at Kassa */
            ? sprintf(__('Connected as “%s”, with test money. Buyers cannot pay really yet.', 'kassa'), $is['merchant']['name'])
            /* translators: %s: the merchant's name at Kassa */
            : sprintf(__('Connected as “%s”, with real money.', 'kassa'), $is['merchant']['name'])]],
        [$unsuitable === null
            /* translators: %s: a currency code */
            ? [true, sprintf(__('Prices in %s can be paid exactly.', 'kassa'), $currency)]
            : [false, $unsuitable]],
        findRouteProblems($is, $currency),
        findEventProblems($is['callback']),
        findScheduleProblems()
    );
}

function findRouteProblems(array $is, string $currency): array
{
    foreach ($is['providers'] as $route) {
        if ($route['id'] !== $is['defaultProvider']) {
            continue;
        }
        if (!$route['readiness']['enabledForPaymentCreation']) {
            return [[false, __('Kassa cannot take payments now:', 'kassa') . " {$route['readiness']['reason']}"]];
        }
        if (!in_array($currency, $route['currencies'], true)) {
            /* translators: 1: the name of a way to pay, 2: a currency code */
            return [[false, sprintf(__('“%1$s” of your Kassa does not take %2$s.', 'kassa'), $route['label'], $currency)]];
        }
        $refunds = $route['capabilities']['refund']['enabled'];
        return [[$refunds, $refunds
            ? __('Refunds can be made from the order.', 'kassa')
            : __('Refunds are not enabled at your Kassa.', 'kassa')]];
    }
    return [];
}

function findEventProblems(array $callback): array
{
    $howTo = __('Give the address below to whoever runs your Kassa.', 'kassa');
    if ($callback['kind'] !== 'url') {
        return [[false, __('Kassa sends no events to this shop. Orders are only looked up now and then.', 'kassa') . " $howTo"]];
    }
    $proof = eventProof();
    if ($callback['verified'] && $proof['isProved']) {
        return [[true, __('Kassa has checked that this shop receives its events.', 'kassa')]];
    }
    switch ($proof['refused']) {
        case 'wrong_signature':
            return [[false, __('An event has come, but it was signed with another secret than the one stored here. Copy the callback secret of this merchant again and save it. Then whoever runs your Kassa checks it with “callback verify”.', 'kassa')]];
        case 'stale':
            return [[false, __('An event has come, but it is more than five minutes away from the clock of this server. Set the clock. Then whoever runs your Kassa checks it with “callback verify”.', 'kassa')]];
    }
    return [[false, $callback['verified']
        ? __('No event with this callback secret has come yet. Whoever runs your Kassa checks it again with “callback verify”.', 'kassa')
        : __('Kassa has not checked yet that this shop receives its events.', 'kassa') . " $howTo"]];
}

function findScheduleProblems(): array
{
    $next = as_next_scheduled_action('kassa_minute', [], 'kassa');
    $isLate = is_int($next) && $next < time() - 10 * MINUTE_IN_SECONDS;
    return $isLate
        ? [[false, __('The scheduled actions of WooCommerce do not run. Payments whose buyer closes the tab may be booked late. See WooCommerce, Status, Scheduled Actions.', 'kassa')]]
        : [];
}

function showFindings(array $findings): string
{
    $rows = array_map(fn ($finding) => sprintf(
        '<li><span class="dashicons dashicons-%s" aria-hidden="true"></span> <span class="screen-reader-text">%s</span> %s</li>',
        $finding[0] ? 'yes-alt' : 'warning',
        esc_html($finding[0] ? __('Well:', 'kassa') : __('To do:', 'kassa')),
        esc_html($finding[1])
    ), $findings);
    return '<ul class="kassa-findings">' . implode('', $rows) . '</ul>';
}
