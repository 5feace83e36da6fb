<?php

/**
 * The client of Kassa for PHP 7.4 or newer. Copy this file into your project. It has no dependencies, and nothing happens when it
 * is loaded.
 *
 *   $kassa = Kassa\openKassa(['url' => 'https://pay.example', 'token' => getenv('MERCHANT_API_TOKEN')]);
 *   $made = $kassa->createPayment(
 *       ['merchantOrderId' => ..., 'amountMinor' => 1900, 'currency' => 'USD', 'returnUrl' => ...],
 *       ['key' => Kassa\keyOf('pay', $orderId)]
 *   );
 *   if ($made->ok) header("Location: {$made->value['checkoutUrl']}");
 *   else error_log("{$made->error->code}: {$made->error->message} {$made->error->whatToDo}");
 */

declare(strict_types=1);

namespace Kassa;

use ArrayAccess;
use InvalidArgumentException;
use LogicException;
use RuntimeException;
use stdClass;
use Throwable;

// ------------------------------------------------------------------------------------------------------------ amounts

/** Digits behind the decimal point. Take `currencyDigits` of `capabilities()` for currencies that were added later. */
const CURRENCY_DIGITS = ['AMD' => 2, 'USD' => 2, 'EUR' => 2];
const WHOLE_IN_LINKS = ['AMD'];
const AMOUNT_MINOR_MAX = 1000000000000;

/** @internal */
function digitsOf(string $currency, array $digits): int
{
    if (!isset($digits[$currency])) {
        $known = implode(', ', array_keys($digits));
        throw new InvalidArgumentException("$currency is not in the table of currencies, which has $known. Give `currencyDigits` of `capabilities()` for others.");
    }
    return $digits[$currency];
}

/** Returns minor units: `toMinor('19.00', 'USD')` is 1900. Takes text alone, because a float is not exact. Refuses what is not exact. */
function toMinor($text, string $currency, array $digits = CURRENCY_DIGITS): int
{
    $places = digitsOf($currency, $digits);
    if (!is_string($text)) {
        throw new InvalidArgumentException('Give the amount as text, such as "19.00": a number is not exact.');
    }
    if (!preg_match('/^([0-9]{1,40})(?:\.([0-9]+))?$/D', $text, $found)) {
        throw new InvalidArgumentException("\"$text\" is no amount: write plain digits, such as 15 or 15.00.");
    }
    $fraction = $found[2] ?? '';
    if (strlen($fraction) > $places) {
        throw new InvalidArgumentException("$currency takes at most $places decimals.");
    }
    $minor = ltrim($found[1] . str_pad($fraction, $places, '0'), '0');
    if ($minor === '' || strlen($minor) > strlen((string) AMOUNT_MINOR_MAX) || (int) $minor > AMOUNT_MINOR_MAX) {
        throw new InvalidArgumentException("$text $currency is not between the smallest and the largest amount.");
    }
    return (int) $minor;
}

/** Returns the amount in major units with all its decimals: `toMajor(1900, 'USD')` is "19.00". */
function toMajor($minor, string $currency, array $digits = CURRENCY_DIGITS): string
{
    $places = digitsOf($currency, $digits);
    if (!is_int($minor) || $minor < 0 || $minor > AMOUNT_MINOR_MAX) {
        throw new InvalidArgumentException(json_encode($minor) . ' is no amount in minor units.');
    }
    $text = str_pad((string) $minor, $places + 1, '0', STR_PAD_LEFT);
    return $places === 0 ? $text : substr($text, 0, -$places) . '.' . substr($text, -$places);
}

/** Returns the `amount` of a payment link for these minor units. A link in AMD takes whole drams only. */
function linkAmount($minor, string $currency, array $digits = CURRENCY_DIGITS): string
{
    $text = toMajor($minor, $currency, $digits);
    if (in_array($currency, WHOLE_IN_LINKS, true) && !preg_match('/^[0-9]+(\.0+)?$/D', $text)) {
        throw new InvalidArgumentException("A payment link in $currency takes whole amounts only, not $text.");
    }
    return $text;
}

// --------------------------------------------------------------------------------------------------- what a shop does

/** What a shop does about a payment in each status. */
const STATUS_MAP = [
    'created' => 'wait',
    'pending_redirect' => 'wait',
    'pending_payment' => 'wait',
    'authorized' => 'wait',
    'paid' => 'deliver',
    'failed' => 'close',
    'cancelled' => 'close',
    'expired' => 'close',
    'reversed' => 'take_back',
    'partially_refunded' => 'take_back',
    'refunded' => 'take_back',
    'disputed' => 'take_back',
    'status_unknown' => 'hold',
];

/**
 * `wait`: do not deliver, wait for an event. `deliver`: deliver once, if `doubtOf` finds nothing. `close`: nothing was paid, show it
 * or create a new payment. `take_back`: money went back or is disputed. `hold`: neither deliver nor cancel, a person decides. A
 * status that a later version adds is held.
 */
function actOf(string $status): string
{
    return STATUS_MAP[$status] ?? 'hold';
}

/**
 * Returns why a person must look before this payment's order is delivered, or null. `$asked`: what your shop asks for the order,
 * `amountMinor` and `currency`, and its `merchantOrderId` if you created the payment. `wasTakenBack` of `$options`: an earlier
 * event of the payment had an act `take_back`.
 */
function doubtOf(array $payment, ?array $asked, array $options = []): ?string
{
    ['status' => $status, 'amountMinor' => $amount, 'currency' => $currency, 'merchantOrderId' => $orderId] = $payment;
    $captured = $payment['capturedMinor'] ?? $amount;
    if ($status === 'partially_refunded') {
        return 'a part was refunded before the order was delivered';
    }
    if (actOf($status) !== 'deliver') {
        return "the payment is $status";
    }
    if ($options['wasTakenBack'] ?? false) {
        return 'paid, but refunded, reversed or disputed before the order was delivered';
    }
    if (($asked['amountMinor'] ?? null) !== $amount || ($asked['currency'] ?? null) !== $currency) {
        return 'paid, but not what you asked for';
    }
    if (($asked['merchantOrderId'] ?? $orderId) !== $orderId) {
        return 'paid, but for another order';
    }
    return $captured === $amount ? null : "only $captured of $amount was captured";
}

// --------------------------------------------------------------------------------------------------------------- keys

/**
 * Returns an idempotency key that is the same for the same wish, also after a restart: `keyOf('refund', $orderId, $refundId)`.
 * Another wish needs another part, such as the number of the attempt. A key of your own is just as good.
 */
function keyOf(...$parts): string
{
    $texts = array_map(fn ($part) => is_int($part) ? (string) $part : $part, $parts);
    foreach ($texts ?: [null] as $text) {
        if (!is_string($text) || $text === '') {
            throw new InvalidArgumentException('Each part of a key is a text that is not empty, or a whole number.');
        }
    }
    $joined = implode(',', array_map(fn ($text) => strlen($text) . ":$text", $texts));
    return 'kassa-' . substr(hash('sha256', $joined), 0, 40);
}

// ------------------------------------------------------------------------------------------------------------- events

/** @internal `$error['code']` is `$error->code`. */
abstract class ByName implements ArrayAccess
{
    public function offsetExists($name): bool
    {
        return isset($this->$name);
    }

    #[\ReturnTypeWillChange]
    public function offsetGet($name)
    {
        return $this->$name;
    }

    public function offsetSet($name, $value): void
    {
        throw new LogicException('This is only read.');
    }

    public function offsetUnset($name): void
    {
        throw new LogicException('This is only read.');
    }
}

/** `event` if `ok`. Otherwise `error`, as that of a call: answer its `status`, which is 401. */
final class Verified extends ByName
{
    public bool $ok;
    public ?array $event;
    public ?Error $error;

    public function __construct(?array $event, ?Error $error = null)
    {
        $this->ok = $error === null;
        $this->event = $event;
        $this->error = $error;
    }
}

const EVENT_ADVICE = [
    'no_signature' => 'Give all headers of the request. Requests that are not from Kassa have no such header.',
    'wrong_signature' => 'Compare the secret with the one of your Kassa, and read the body before any other code parses it.',
    'stale' => 'Set the clock of this machine. A request that was kept and is sent again later is refused too.',
    'not_an_event' => 'Ask whoever runs your Kassa what it sends here.',
];
/** A receiver answers it to what it does not take. */
const REFUSED = 401;

/** @internal */
function refused(string $code, string $message): Verified
{
    return new Verified(null, errorOf(REFUSED, ['error' => ['code' => $code, 'message' => $message, 'hint' => EVENT_ADVICE[$code]]]));
}

/**
 * Checks an event and reads it. `$rawBody`: `file_get_contents('php://input')`. `$headers`: all headers, or `$_SERVER`. `$options`:
 * `secrets` (one or several), `toleranceSeconds`, `now`.
 */
function verifyEvent($rawBody, array $headers, array $options): Verified
{
    if (!is_string($rawBody ?? '')) {
        throw new InvalidArgumentException("The body was parsed already: give file_get_contents('php://input'), or what your framework calls the raw content.");
    }
    $body = (string) $rawBody;
    $keys = keysOf($options['secrets'] ?? null);
    $signed = signaturesOf($headers);
    if ($signed === null) {
        return refused('no_signature', 'There is no X-SERVICE-Signature header with a time in seconds.');
    }
    [$t, $given, $digest] = $signed;
    $fits = false;
    // Every secret is compared with every signature: there are several of both while a secret is being rotated.
    foreach ($keys as $key) {
        $expected = $digest($key, $body);
        foreach ($given as $each) {
            $fits = ($expected !== null && hash_equals($expected, $each)) || $fits;
        }
    }
    if (!$fits) {
        return refused('wrong_signature', 'No signature fits: check the secret, and that the body is read as it came.');
    }
    $age = (int) round(($options['now'] ?? time()) - (int) $t);
    if (abs($age) > ($options['toleranceSeconds'] ?? 300)) {
        return refused('stale', 'It was signed ' . ($age < 0 ? -$age . ' s in the future.' : "$age s ago."));
    }
    $event = parse($body);
    return isObject($event['payment'] ?? null)
        ? new Verified($event)
        : refused('not_an_event', 'The body is no event of Kassa.');
}

/**
 * Returns the body and the headers of a request that `verifyEvent` accepts, for the tests of your receiver.
 *
 * @param array|string $event
 */
function signEvent($event, array $options): array
{
    $body = is_string($event) ? $event : json_encode($event, JSON_THROW_ON_ERROR);
    $id = parse($body)['id'] ?? 'evt_test';
    $t = (string) (int) floor($options['now'] ?? time());
    $keys = keysOf($options['secrets'] ?? null);
    $own = array_map(fn ($key) => 'v1=' . hash_hmac('sha256', "$t.$body", $key), $keys);
    $standard = array_map(
        fn ($key) => 'v1,' . base64_encode(hash_hmac('sha256', "$id.$t.$body", $key, true)),
        array_filter(array_map(__NAMESPACE__ . '\standardKey', $keys))
    );
    return ['body' => $body, 'headers' => [
        'content-type' => 'application/json',
        'x-service-signature' => implode(',', array_merge(["t=$t"], $own)),
        'webhook-id' => $id,
        'webhook-timestamp' => $t,
        'webhook-signature' => implode(' ', $standard),
    ]];
}

/** @internal */
function keysOf($secrets): array
{
    $given = array_map(fn ($key) => trim((string) $key), (array) $secrets);
    $keys = array_values(array_filter($given, fn ($key) => !in_array($key, ['', 'whsec_'], true)));
    if (!$keys) {
        throw new InvalidArgumentException('There is no webhook secret. Whoever runs your Kassa has it.');
    }
    return $keys;
}

/** More are not read: there are as many as there are live secrets. */
const SIGNATURES_MAX = 10;
const KEY_BYTES_MIN = 16;

/** @internal Returns the key of Standard Webhooks, or null: anybody can sign with what an incomplete secret leaves. */
function standardKey(string $secret): ?string
{
    if (!preg_match('~^(?:whsec_)?([A-Za-z0-9+/]+)={0,2}$~D', $secret, $found) || strlen($found[1]) % 4 === 1) {
        return null;
    }
    $key = (string) base64_decode($found[1]);
    return strlen($key) < KEY_BYTES_MIN ? null : $key;
}

/**
 * @internal Returns the time, the given digests as text, and how a digest is made: of the contract's header, else of Standard
 * Webhooks.
 */
function signaturesOf(array $headers): ?array
{
    $own = headerOf($headers, 'x-service-signature');
    $given = [];
    if ($own !== '') {
        $t = null;
        foreach (explode(',', $own) as $part) {
            [$name, $value] = explode('=', $part) + [1 => ''];
            if ($name === 't') {
                $t = $t ?? $value;
            }
            if ($name === 'v1' && preg_match('/^[0-9a-f]{64}$/D', $value)) {
                $given[] = $value;
            }
        }
        $digest = fn (string $key, string $body) => hash_hmac('sha256', "$t.$body", $key);
        return preg_match('/^[0-9]{10}$/D', (string) $t) ? [$t, array_slice($given, 0, SIGNATURES_MAX), $digest] : null;
    }
    $id = headerOf($headers, 'webhook-id');
    $t = headerOf($headers, 'webhook-timestamp');
    foreach (explode(' ', headerOf($headers, 'webhook-signature')) as $part) {
        if (preg_match('~^v1,([A-Za-z0-9+/]{43}=)$~D', $part, $found)) {
            $given[] = $found[1];
        }
    }
    $digest = function (string $secret, string $body) use ($id, $t): ?string {
        $key = standardKey($secret);
        return $key === null ? null : base64_encode(hash_hmac('sha256', "$id.$t.$body", $key, true));
    };
    return $id !== '' && preg_match('/^[0-9]{10}$/D', $t) ? [$t, array_slice($given, 0, SIGNATURES_MAX), $digest] : null;
}

/** @internal Something is in it, as in every event and every answer of Kassa. A list is no object. */
function isObject($value): bool
{
    return is_array($value) && array_values($value) !== $value;
}

const DEPTH_MAX = 64;

/**
 * Returns the object that this text is as JSON, or null. Half of a surrogate pair and deep nesting are in no text of Kassa, and not every
 * language can read them. PHP refuses the first by itself, and counts one level more.
 *
 * @internal
 */
function parse(string $text): ?array
{
    $value = json_decode($text, true, DEPTH_MAX + 1);
    return isObject($value) ? $value : null;
}

/** @internal Reads `X-Name`, and also `HTTP_X_NAME` of `$_SERVER`. */
function headerOf(array $headers, string $name): string
{
    foreach ($headers as $each => $value) {
        $plain = strtolower(strtr((string) $each, '_', '-'));
        if ($plain === $name || $plain === "http-$name") {
            return (string) (is_array($value) ? reset($value) : $value);
        }
    }
    return '';
}

// -------------------------------------------------------------------------------------------------------------- calls

/** What to do about an answer that has no hint of its own. */
const ADVICE = [
    0 => 'Send the same request again with the same key. It may have been carried out.',
    200 => 'Check the address and its port: what answers there may not be Kassa. If it is, send the same request again with the same key. '
        . 'It may have been carried out.',
    400 => 'Check the address and its port: what answers there may not be Kassa.',
    401 => 'Do not retry. Check the token.',
    403 => 'Do not retry. Check what the token may do, and from where.',
    404 => 'Check the id and the address.',
    409 => 'Look the payment up. Its state does not allow this, or the route does not offer it.',
    422 => 'Correct the request. `fields` names each wrong field.',
    429 => 'Wait, then send the same request again.',
    500 => 'Send the same request again later with the same key.',
    501 => 'Ask whoever runs your payment service.',
    503 => 'Send the same request again later with the same key.',
];
const PASSING = [0, 408, 429, 500, 502, 503, 504];

/**
 * Decide by `code`. `status` is the one of HTTP. 0: no answer came. With the code `not_reached` nothing was sent; with `no_answer` the
 * request may have been carried out. Of an event that is refused: what your receiver answers.
 */
final class Error extends ByName
{
    public string $code;
    public int $status;
    public string $message;
    public string $whatToDo;
    public bool $retryable;
    public ?string $requestId;
    /** The wrong fields of a 422, each with its sentence. */
    public array $fields;
    public ?array $operation;
    /** With `ifRefundedMinor`: what was refunded, and what waits to be. */
    public ?int $refundedMinor;
    public ?int $pendingRefundMinor;
    public ?int $retryAfterSeconds;
}

/** `value` is the body of the answer if `ok`. Otherwise `error` says what went wrong and what to do. */
final class Result extends ByName
{
    public bool $ok;
    public $value;
    public ?Error $error;
    public bool $replayed;

    public function __construct(bool $ok, $value, ?Error $error, bool $replayed = false)
    {
        $this->ok = $ok;
        $this->value = $value;
        $this->error = $error;
        $this->replayed = $replayed;
    }
}

/** @internal */
function isText($value): bool
{
    return is_string($value) && $value !== '';
}

/** Returns the error of an answer as a value. A proxy may answer in Kassa's place, so a field counts only in its type. */
function errorOf(int $status, $body = null, $retryAfter = null): Error
{
    $given = is_array($body) && is_array($body['error'] ?? null) ? $body['error'] : [];
    $fields = is_array($body) && isObject($body['errors'] ?? null) ? $body['errors'] : [];
    $take = fn (string $name, callable $isRight, $otherwise = null) => $isRight($given[$name] ?? null) ? $given[$name] : $otherwise;
    $isText = __NAMESPACE__ . '\isText';
    $wrong = isText($given['code'] ?? null) ? 422 : 400;
    $fallback = $status >= 500 ? 500 : ($status >= 400 ? $wrong : ($status >= 300 ? 404 : ($status > 0 ? 200 : 0)));
    $silence = $status === 0 ? 'Kassa did not answer.' : "Kassa answered $status without an error that can be read.";
    $error = new Error();
    $error->code = $take('code', $isText, $status === 0 ? 'no_answer' : 'unexpected_answer');
    $error->status = $status;
    $error->message = $take('message', $isText, $silence);
    $error->whatToDo = $take('hint', $isText, ADVICE[$status] ?? ADVICE[$fallback]);
    // A result that was cut off on the way is like none.
    $error->retryable = $take('retryable', 'is_bool', in_array($status, PASSING, true) || $fallback === 200);
    $error->requestId = $take('requestId', $isText);
    $error->fields = array_filter($fields, $isText);
    $error->operation = $take('operation', __NAMESPACE__ . '\isObject');
    $error->refundedMinor = $take('refundedMinor', 'is_int');
    $error->pendingRefundMinor = $take('pendingRefundMinor', 'is_int');
    $isPause = is_string($retryAfter) && preg_match('/^[0-9]{1,6}$/D', $retryAfter);
    $error->retryAfterSeconds = $isPause ? (int) $retryAfter : null;
    return $error;
}

/** A `send` of one's own throws an `\Error` if it is wrong in itself. */
const OWN_SEND = 'Mend `send`, which has failed by itself, or turn on the extension that it needs. The request may have been carried out.';

/** @internal Returns the error for a call that got no answer. `$wasSent`: an earlier try of it may have been carried out. */
function silenceOf(Throwable $cause, bool $wasSent): Error
{
    $why = "({$cause->getMessage()})";
    if ($cause instanceof NotReached && !$wasSent) {
        $message = "Kassa was not reached, and nothing was sent. $why";
        return errorOf(0, ['error' => ['code' => 'not_reached', 'message' => $message, 'hint' => $cause->whatToDo]]);
    }
    // Behind these words stands the line of another protocol.
    $hint = preg_match('/' . REQUESTED . ' [^)]/', $why) ? ADVICE[200] : ($cause instanceof \Error ? OWN_SEND : ADVICE[0]);
    return errorOf(0, ['error' => ['message' => "Kassa did not answer. $why", 'hint' => $hint]]);
}

/** @internal */
function addressOf($url): string
{
    $parts = is_string($url) ? parse_url(trim($url)) : false;
    $host = $parts['host'] ?? '';
    $scheme = strtolower($parts['scheme'] ?? '');
    $isRight = $host !== ''
        && ($scheme === 'https' || ($scheme === 'http' && in_array($host, ['localhost', '127.0.0.1', '[::1]'], true)));
    if (!$isRight || isset($parts['user']) || isset($parts['query']) || isset($parts['fragment'])
        || !in_array($parts['path'] ?? '', ['', '/'], true)) {
        // No log should have what somebody has put there by mistake.
        $end = is_string($url) && !preg_match('/ksk_|whsec_|@/', $url) ? ": not \"$url\"" : ' and without any secret';
        throw new InvalidArgumentException("The address of Kassa is https://HOST, or http on this machine, without a path$end.");
    }
    return "$scheme://$host" . (isset($parts['port']) ? ":{$parts['port']}" : '');
}

/** @internal */
function idOf($id): string
{
    if (!is_string($id) || $id === '') {
        throw new InvalidArgumentException('The id is missing.');
    }
    return rawurlencode($id);
}

/** @internal */
function needKey($key): string
{
    if (!is_string($key) || !preg_match('/^[\x20-\x7e]{1,160}$/D', $key)) {
        throw new InvalidArgumentException(
            "This call needs a key of 1 to 160 printable characters, such as keyOf('refund', \$orderId, \$refundId)."
        );
    }
    return $key;
}

/** @internal */
function needMinor($minor): string
{
    if (!is_int($minor) || $minor < 0) {
        throw new InvalidArgumentException('`ifRefundedMinor` is a whole number of minor units. Leave it out if it does not matter.');
    }
    return (string) $minor;
}

/** A way out throws it if nothing was sent, so that nothing can have been carried out. */
final class NotReached extends RuntimeException
{
    public string $whatToDo;

    public function __construct(string $why, string $whatToDo)
    {
        parent::__construct($why);
        $this->whatToDo = $whatToDo;
    }
}

/** What to check if Kassa was not reached, by what PHP says then. */
const UNREACHED = [
    '/allow_url_fopen|Unable to find the (?:wrapper|socket transport)/' => 'Turn on allow_url_fopen in php.ini, and openssl for https. Or give `send` to openKassa, such as one that uses curl.',
    '/getaddrinfo/' => 'Check the address: nobody knows a machine of this name.',
    '/Failed to enable crypto/' => 'Check the address, its port, its certificate and the clock of this machine: no secure connection to it can be made.',
    '/Failed to open stream: (?:Connection refused|Connection timed out|No route to host|Network is unreachable)/i' => 'Check the address and its port, that Kassa runs, and that this machine may connect to it.',
];

/** What PHP says if it had a connection. */
const REQUESTED = 'HTTP request failed!';

/** @internal Throws, as no answer came. `$said`: the warnings of PHP. */
function throwSilence(string $said): void
{
    foreach (UNREACHED as $words => $whatToDo) {
        if (preg_match($words, $said) && strpos($said, REQUESTED) === false) {
            throw new NotReached($said, $whatToDo);
        }
    }
    throw new RuntimeException($said);
}

/**
 * Returns the status, the headers by their small names and the body of the answer. Throws `NotReached` if nothing was sent, and null or
 * another exception means that no answer came. It needs `allow_url_fopen`, and `openssl` for https. Give `send` to `openKassa` where
 * they are off, such as one that uses curl.
 */
function sendWithStreams(string $method, string $url, array $headers, ?string $body, float $timeout): ?array
{
    $lines = [];
    foreach ($headers as $name => $value) {
        $lines[] = "$name: $value";
    }
    // The token must not follow a redirect to another host.
    $http = ['method' => $method, 'header' => $lines, 'timeout' => $timeout, 'ignore_errors' => true, 'follow_location' => 0];
    $context = stream_context_create(['http' => $http + ($body === null ? [] : ['content' => $body])]);
    $said = [];
    set_error_handler(function (int $level, string $text) use (&$said): bool {
        $said[] = trim((string) preg_replace('/^file_get_contents\([^)]*\): /', '', $text));
        return true;
    });
    try {
        $raw = file_get_contents($url, false, $context);
    } finally {
        restore_error_handler();
    }
    if ($raw === false) {
        throwSilence(implode(' ', array_unique($said)));
    }
    $line = $http_response_header[0] ?? '';
    if (!preg_match('~^HTTP/\S+ ([0-9]{3})~', $line, $found)) {
        throw new RuntimeException(REQUESTED . " $line");
    }
    $answered = [];
    foreach ($http_response_header as $line) {
        [$name, $value] = explode(':', $line, 2) + [1 => ''];
        $answered[strtolower($name)] = trim($value);
    }
    return [(int) $found[1], $answered, $raw];
}

/** The calls. See `openKassa`. */
final class Client
{
    private string $base;
    private array $settings;

    public function __construct(array $settings)
    {
        $this->base = addressOf($settings['url'] ?? null);
        $token = $settings['token'] ?? null;
        if (!is_string($token) || !preg_match('/^\s*[\x21-\x7e]+\s*$/D', $token)) {
            throw new InvalidArgumentException('The merchant token is missing, or something else is in it: it is one word that begins with ksk_.');
        }
        $this->settings = ['token' => trim($token)] + $settings + ['waitSeconds' => 3, 'timeoutSeconds' => 30, 'tries' => 3, 'pauseSeconds' => 0.5,
            'send' => fn (...$request) => sendWithStreams(...$request)];
    }

    /** Opens a payment. Send the buyer to `value['checkoutUrl']`. */
    public function createPayment(array $request, array $options = []): Result
    {
        // A key that is null is missing by mistake. Who wants no key gives none.
        $key = array_key_exists('key', $options) ? needKey($options['key']) : null;
        return $this->call('POST', '/v1/payment-sessions', $request, $key);
    }

    /** Opens a payment with a link that can be sent. */
    public function createLink(array $request, array $options): Result
    {
        return $this->call('POST', '/v1/payment-links', $request, needKey($options['key'] ?? null));
    }

    public function lookUp(string $paymentId): Result
    {
        return $this->call('GET', '/v1/payments?paymentId=' . idOf($paymentId));
    }

    /** `ifRefundedMinor`: refund only if this much was refunded before, also from outside. Else 409 with the sums. */
    public function refund(string $paymentId, array $request, array $options): Result
    {
        $only = array_key_exists('ifRefundedMinor', $options)
            ? ['Kassa-If-Refunded-Minor' => needMinor($options['ifRefundedMinor'])]
            : [];
        return $this->operate($paymentId, 'refunds', $request, $options, $this->waiting() + $only);
    }

    public function capture(string $paymentId, ?array $request, array $options): Result
    {
        return $this->operate($paymentId, 'capture', $request ?? [], $options, $this->waiting());
    }

    public function void(string $paymentId, array $request, array $options): Result
    {
        return $this->operate($paymentId, 'void', $request, $options, $this->waiting());
    }

    /** Ends a payment that nobody has paid. */
    public function cancel(string $paymentId, array $request, array $options): Result
    {
        return $this->operate($paymentId, 'cancel', $request, $options, []);
    }

    public function lookUpOperation(string $operationId): Result
    {
        return $this->call('GET', '/v1/operations/' . idOf($operationId));
    }

    public function capabilities(): Result
    {
        return $this->call('GET', '/v1/capabilities');
    }

    private function waiting(): array
    {
        return ['Prefer' => "wait={$this->settings['waitSeconds']}"];
    }

    private function operate(string $paymentId, string $what, array $request, array $options, array $headers): Result
    {
        $key = needKey($options['key'] ?? null);
        return $this->call('POST', '/v1/payments/' . idOf($paymentId) . "/$what", $request, $key, $headers);
    }

    /** `$key`: the idempotency key. Without one, only what changes nothing is sent again. */
    private function call(string $method, string $path, ?array $request = null, ?string $key = null, array $headers = []): Result
    {
        $isSafe = $method === 'GET' || $key !== null;
        if (is_float($request['amountMinor'] ?? null)) {
            throw new InvalidArgumentException("`amountMinor` is a whole number of minor units: toMinor('19.00', 'USD') is 1900. A float is not exact.");
        }
        $headers += ['Authorization' => "Bearer {$this->settings['token']}", 'Accept' => 'application/json'];
        if ($key !== null) {
            $headers['Idempotency-Key'] = $key;
        }
        if ($request !== null) {
            $headers['Content-Type'] = 'application/json';
        }
        // An empty array of PHP is a list in JSON, and these are objects.
        foreach (['metadata', 'customer'] as $name) {
            if (($request[$name] ?? null) === []) {
                $request[$name] = new stdClass();
            }
        }
        $body = $request === null ? null : json_encode($request ?: new stdClass(), JSON_THROW_ON_ERROR);
        $wasSent = false;
        for ($at = 1;; $at++) {
            $result = $this->once([$method, $this->base . $path, $headers, $body], $wasSent);
            $wasSent = $wasSent || $result->ok || $result->error->code !== 'not_reached';
            if ($result->ok || !$isSafe || !$result->error->retryable || $at >= $this->settings['tries']) {
                return $result;
            }
            $pause = $result->error->retryAfterSeconds ?? $this->settings['pauseSeconds'] * 2 ** ($at - 1);
            if ($pause > $this->settings['timeoutSeconds']) {
                return $result;
            }
            usleep((int) ($pause * random_int(1000000, 1250000)));
        }
    }

    /** `$wasSent`: an earlier try may have been carried out. */
    private function once(array $request, bool $wasSent): Result
    {
        $timeout = $this->settings['timeoutSeconds'] + $this->settings['waitSeconds'];
        try {
            $answer = ($this->settings['send'])(...$request, ...[(float) $timeout]);
            return $answer === null ? new Result(false, null, errorOf(0)) : $this->resultOf(...$answer);
        } catch (Throwable $cause) {
            return new Result(false, null, silenceOf($cause, $wasSent));
        }
    }

    private function resultOf(int $status, array $answered, string $raw): Result
    {
        $value = parse($raw);
        return ($status === 200 || $status === 201) && $value !== null
            ? new Result(true, $value, null, isset($answered['x-idempotent-replay']))
            : new Result(false, null, errorOf($status, $value, $answered['retry-after'] ?? null));
    }
}

/**
 * Returns the calls. `url`: the address of your Kassa. `token`: the merchant token. Also `waitSeconds`: how long an operation may be
 * waited for; `timeoutSeconds`; `tries`: how often a call is sent at most (one that moves anything is repeated only with its key);
 * `send`: another way out, with the arguments and the answer of `sendWithStreams`.
 */
function openKassa(array $settings): Client
{
    return new Client($settings);
}
