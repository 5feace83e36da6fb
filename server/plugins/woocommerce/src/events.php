<?php

/** Receives Kassa's events. An event is verified and stored before it is answered, and decided afterwards. */

declare(strict_types=1);

namespace Kassa\WordPress;

use Throwable;
use WP_REST_Request;
use WP_REST_Response;

use function Kassa\verifyEvent;

const EVENT_BYTES_MAX = 262144;

function eventAddress(): string
{
    return rest_url('kassa/v1/events');
}

add_action('rest_api_init', function (): void {
    register_rest_route('kassa/v1', '/events', [
        'methods' => 'POST',
        // The signature is the permission.
        'permission_callback' => '__return_true',
        'callback' => __NAMESPACE__ . '\takeEvent',
    ]);
});

function takeEvent(WP_REST_Request $request): WP_REST_Response
{
    if (setting('secret') === '') {
        return new WP_REST_Response('There is no callback secret in the settings yet.', 503);
    }
    if (strlen($request->get_body()) > EVENT_BYTES_MAX) {
        return new WP_REST_Response('The body is too long.', 413);
    }
    // During a rotation several secrets are valid.
    $verified = verifyEvent($request->get_body(), $request->get_headers(), ['secrets' => explode(' ', setting('secret'))]);
    noteEvent($verified['ok'] ? '' : $verified['error']['code']);
    if (!$verified['ok']) {
        return new WP_REST_Response($verified['error']['message'], 401);
    }
    ['type' => $type, 'payment' => $payment] = $verified['event'];
    $orderId = $type === 'payment.status_changed' ? orderIdOf($payment) : null;
    // Sales of the pay button and of other shops of the same merchant have no order here.
    if ($orderId === null) {
        return new WP_REST_Response('This shop has no order of this payment.', 200);
    }
    try {
        remember($payment, $orderId);
    } catch (Throwable $error) {
        error_log("Kassa: $error");
        return new WP_REST_Response('The event was not stored. Send it again.', 500);
    }
    answerFirst('Stored.');
    do_action('kassa_event_answered', $payment['id']);
    // What fails here is done by the next run of the schedule.
    decideSafely($payment['id']);
    exit;
}

/** Ends the response, so that Kassa does not wait for the decision, nor for what other plug-ins do with a paid order. */
function answerFirst(string $text): void
{
    ignore_user_abort(true);
    status_header(200);
    header('Content-Type: text/plain');
    header('Content-Length: ' . strlen($text));
    header('Connection: close');
    echo esc_html($text);
    while (ob_get_level() > 0) {
        ob_end_flush();
    }
    flush();
    if (function_exists('fastcgi_finish_request')) {
        fastcgi_finish_request();
    }
}

function decideSafely(string $paymentId): void
{
    try {
        decide($paymentId);
    } catch (Throwable $error) {
        error_log("Kassa: the payment $paymentId is decided later: $error");
    }
}
