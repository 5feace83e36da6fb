<?php
/**
 * Receives Kassa's events in PHP 8.1 or newer, without dependencies. Copy this file and fill in the two functions below.
 * To try it:
 *
 *   KASSA_WEBHOOK_SECRET=whsec_... php -S 127.0.0.1:4000 kassa-receiver.php
 *
 * On a web server, put it where it can be called. Set KASSA_WEBHOOK_SECRET in its environment (SetEnv, fastcgi_param, env[]
 * of the pool), and KASSA_EVENTS to a folder that it may write to and that is not served.
 *
 * Then ask whoever runs your Kassa to send your events to its address, http://127.0.0.1:4000/kassa/callback, and to verify it.
 *
 * It accepts nothing that is unsigned, changed or stale. It stores an event on disk before it answers 200. It handles each
 * event once, in the order of its payment. Kassa sends an event again until the answer is 2xx.
 */
declare(strict_types=1);

// ---------------------------------------------------------------------------------------------- fill in these two

/**
 * Returns what you ask for this payment, from your own database: ['amountMinor' => ..., 'currency' => ...], or null. A
 * payment that you created has your order's reference. A payment of the button has the product in its metadata and a
 * generated reference. A payment of a subscription has your reference for it, a slash and the number of the period.
 */
function find_order(array $payment): ?array
{
    // To try it out: {"orders": {"order-1": {"amountMinor": 1900, "currency": "USD"}},
    // "products": {"tea": {"amountMinor": 190000, "currency": "AMD"}}, "subscriptions": {"box-1": ...}}
    $file = getenv('KASSA_PRICES') ?: 'prices.json';
    $prices = is_file($file) ? json_decode(file_get_contents($file), true, 16, JSON_THROW_ON_ERROR) : [];
    ['merchantOrderId' => $reference, 'metadata' => $metadata] = $payment + ['metadata' => []];
    return match ($metadata['source'] ?? null) {
        'widget' => $prices['products'][$metadata['productId']] ?? null,
        'subscription' => $prices['subscriptions'][preg_replace('~/\d+$~D', '', $reference)] ?? null,
        default => $prices['orders'][$reference] ?? null,
    };
}

/**
 * Does what your shop does when a payment has a new status. $mayFulfil: it is paid, with the amount that find_order
 * returned. If this throws, it is called again for the same event later. Make it safe to repeat.
 */
function on_payment_changed(array $payment, bool $mayFulfil): void
{
    $status = $payment['status'];
    $what = trim($payment['merchantOrderId'] . ' ' . ($payment['metadata']['productId'] ?? ''));
    if ($mayFulfil) {
        error_log("FULFIL $what: {$payment['amountMinor']} {$payment['currency']}");
    } elseif ($status === 'paid') {
        error_log("ASK A PERSON $what: paid, but not what you asked for");
    } else {
        error_log("NOTE $what: $status");
    }
}

// ------------------------------------------------------------------------------------------------ the rest works

const TOLERANCE_SECONDS = 300;
const BODY_BYTES_MAX = 262144;

/** Returns why this request is not an event of Kassa, or null if it is one. */
function refusal_of(string $rawBody, string $header, string $secret): ?string
{
    if (!preg_match('/(?:^|,)t=(\d{10})(?:,|$)/', $header, $found)) {
        return 'There is no X-SERVICE-Signature header with a time in seconds.';
    }
    $expected = hash_hmac('sha256', "$found[1].$rawBody", $secret);
    $fits = false;
    // While a secret is being rotated there are several v1. One that matches is enough.
    foreach (explode(',', $header) as $part) {
        $fits = (str_starts_with($part, 'v1=') && hash_equals($expected, substr($part, 3))) || $fits;
    }
    if (!$fits) {
        return 'No signature fits: check the secret, and that the body is read as it came.';
    }
    $age = time() - (int) $found[1];
    return abs($age) > TOLERANCE_SECONDS ? "It was signed $age s ago: check this machine's clock." : null;
}

function payment_of(array $event): array
{
    return $event['payment'] ?? $event['data']['payment'];
}

/** Returns the id if it is safe as the name of a file. */
function checked(string $id): string
{
    return preg_match('/^[a-z]{3}_[0-9a-z]{1,60}$/D', $id) ? $id : throw new RuntimeException('No id of Kassa\'s.');
}

/**
 * A folder of the stored events: files in new/ move to done/, and payments/ has the newest sequence of each payment. In
 * your own database this is a table with the id as its primary key, and INSERT tells you whether the event is new.
 */
function folder(string $name): string
{
    $path = (getenv('KASSA_EVENTS') ?: dirname(__DIR__) . '/kassa-events') . "/$name";
    if (!is_dir($path) && !@mkdir($path, 0700, true) && !is_dir($path)) {
        throw new RuntimeException("Cannot make $path.");
    }
    return $path;
}

/** Stores the event completely or not at all. An event that is stored already stays as it is. */
function store(string $id, string $rawBody): void
{
    $draft = tempnam(folder('drafts'), 'event');
    $file = fopen($draft, 'w');
    if (fwrite($file, $rawBody) !== strlen($rawBody) || !fsync($file)) {
        throw new RuntimeException('The event could not be written.');
    }
    fclose($file);
    $new = folder('new') . "/$id";
    $isNew = @link($draft, $new);
    unlink($draft);
    if ($isNew && file_exists(folder('done') . "/$id")) {
        unlink($new);
    } elseif (!$isNew && !file_exists($new) && !file_exists(folder('done') . "/$id")) {
        throw new RuntimeException('The event could not be stored.');
    }
}

/** Handles every stored event that is not done. It locks the payment's file, so that each event has its effect once. */
function work(): void
{
    foreach (array_diff(scandir(folder('new')), ['.', '..']) as $id) {
        try {
            work_on($id);
        } catch (Throwable $error) {
            error_log("$id is tried again with the next event: $error");
        }
    }
}

function work_on(string $id): void
{
    $path = folder('new') . "/$id";
    $body = @file_get_contents($path);
    if ($body === false) {
        return;
    }
    $event = json_decode($body, true, 64, JSON_THROW_ON_ERROR);
    $payment = payment_of($event);
    $known = fopen(folder('payments') . '/' . checked($payment['id']), 'c+');
    flock($known, LOCK_EX);
    // Another process may have handled it while this one waited for the lock.
    if (file_exists($path)) {
        // An older event that arrives late must not undo a newer one.
        if (($event['sequence'] ?? 0) > (int) stream_get_contents($known)) {
            on_payment_changed($payment, $payment['status'] === 'paid' && is_as_asked($payment));
            ftruncate($known, 0);
            rewind($known);
            fwrite($known, (string) ($event['sequence'] ?? 0));
            fflush($known);
        }
        rename($path, folder('done') . "/$id");
    }
    fclose($known);
}

function is_as_asked(array $payment): bool
{
    $order = find_order($payment);
    return $order && $order['amountMinor'] === $payment['amountMinor'] && $order['currency'] === $payment['currency'];
}

/** Answers first, so that the work comes afterwards. Kassa waits 15 seconds for the answer, then sends the event again. */
function answer(int $status, string $text): void
{
    ignore_user_abort(true);
    http_response_code($status);
    header('Content-Type: text/plain');
    header('Content-Length: ' . strlen($text));
    header('Connection: close');
    echo $text;
    while (ob_get_level() > 0) {
        ob_end_flush();
    }
    flush();
    if (function_exists('fastcgi_finish_request')) {
        fastcgi_finish_request();
    }
}

function receive(): void
{
    $secret = (string) getenv('KASSA_WEBHOOK_SECRET');
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        answer(405, 'Events are posted here.');
        return;
    }
    if ($secret === '') {
        throw new RuntimeException('Set KASSA_WEBHOOK_SECRET to the callback secret. Whoever runs your Kassa has it.');
    }
    $rawBody = (string) file_get_contents('php://input', false, null, 0, BODY_BYTES_MAX);
    $refusal = refusal_of($rawBody, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '', $secret);
    if ($refusal !== null) {
        answer(401, $refusal);
        return;
    }
    $event = json_decode($rawBody, true, 64, JSON_THROW_ON_ERROR);
    checked(payment_of($event)['id']);
    store(checked($event['id']), $rawBody);
    answer(200, 'Taken.');
    work();
}

try {
    receive();
} catch (Throwable $error) {
    error_log((string) $error);
    if (!headers_sent()) {
        answer(500, 'The event was not taken. Kassa sends it again.');
    }
}
