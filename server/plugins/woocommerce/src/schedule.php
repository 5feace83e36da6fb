<?php

/** Every minute: decides stored events that are not decided yet, and looks up payments that are due. */

declare(strict_types=1);

namespace Kassa\WordPress;

const MINUTE_LIMIT = 20;

add_action('init', function (): void {
    if (function_exists('as_has_scheduled_action') && !as_has_scheduled_action('kassa_minute', [], 'kassa')) {
        as_schedule_recurring_action(time(), (int) apply_filters('kassa_schedule_seconds', MINUTE_IN_SECONDS), 'kassa_minute', [], 'kassa', true);
    }
}, 20);

add_action('kassa_minute', function (): void {
    if (!isConnected()) {
        return;
    }
    foreach (paymentsWhere('pending = 1') as $paymentId) {
        decideSafely($paymentId);
    }
    foreach (paymentsWhere('look_at <= %d', time()) as $paymentId) {
        lookUpSafely($paymentId);
    }
});

/** Returns the ids of payments, those first that have waited longest. */
function paymentsWhere(string $condition, int ...$values): array
{
    global $wpdb;
    $sql = 'select payment_id from ' . table() . " where $condition order by look_at limit %d";
    return $wpdb->get_col($wpdb->prepare($sql, array_merge($values, [MINUTE_LIMIT])));
}

register_deactivation_hook(FILE, function (): void {
    if (function_exists('as_unschedule_all_actions')) {
        as_unschedule_all_actions('kassa_minute', [], 'kassa');
    }
});
