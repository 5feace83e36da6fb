<?php

/**
 * The core of the kits for PHP and Laravel: the check of an event, and the decision about an order. Put this file beside
 * kassa-receiver.php, or save it as app/Kassa/KassaCore.php in Laravel. There is nothing to fill in here.
 */

namespace App\Kassa;

final class KassaCore
{
    private const TOLERANCE_SECONDS = 300;
    private const TAKEN_BACK = ['partially_refunded', 'refunded', 'reversed', 'disputed'];

    /**
     * Returns the status and the text of the answer, and the id of the payment if there is something to do. `$store` gets the
     * payment, the event's sequence, and whether this event says that the payment was refunded, reversed or disputed.
     */
    public static function take(string $secret, string $rawBody, string $header, callable $store): array
    {
        $refusal = self::refusalOf($secret, $rawBody, $header);
        if ($refusal !== null) {
            return [401, $refusal, null];
        }
        ['type' => $type] = $event = json_decode($rawBody, true, 64, JSON_THROW_ON_ERROR);
        if ($type !== 'payment.status_changed') {
            return [200, 'This kit ignores events of this type.', null];
        }
        ['payment' => $payment, 'sequence' => $sequence] = $event;
        $store($payment, $sequence, in_array($payment['status'], self::TAKEN_BACK, true));
        return [200, 'Stored.', $payment['id']];
    }

    /** Returns why this request is not an event of Kassa, or null if it is one. */
    private static function refusalOf(string $secret, string $rawBody, string $header): ?string
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
        return abs($age) > self::TOLERANCE_SECONDS ? "It was signed $age s ago: check this machine's clock." : null;
    }

    /**
     * Returns the task and its reason. The first payment that brings money for an order decides the order. `$claim` stores
     * which payment decided it. If one is stored already, it returns its id. The primary key of kassa_orders makes sure of
     * that, between two processes and between two payments of one order.
     */
    public static function decide(array $payment, ?array $asked, bool $takenBack, callable $claim): array
    {
        ['id' => $id, 'merchantOrderId' => $orderId, 'status' => $status] = $payment;
        if ($status !== 'paid' && $status !== 'partially_refunded') {
            return ['NOTE', $status];
        }
        $doubt = self::doubtOf($payment, $asked, $takenBack);
        $task = $doubt ? 'ASK A PERSON' : 'DELIVER';
        $first = $claim(['order_id' => $orderId, 'payment_id' => $id, 'task' => $task]);
        if ($first === null) {
            $product = isset($payment['metadata']['productId']) ? " for {$payment['metadata']['productId']}" : '';
            return [$task, $doubt ?? "paid {$payment['amountMinor']} {$payment['currency']}$product"];
        }
        return $first === $id ? ['NOTE', $status] : ['ASK A PERSON', "$status, but $first paid the same order"];
    }

    /** Returns why a person must look before anything is delivered, or null. */
    private static function doubtOf(array $payment, ?array $asked, bool $takenBack): ?string
    {
        ['amountMinor' => $amount, 'currency' => $currency] = $payment;
        $captured = $payment['capturedMinor'] ?? $amount;
        return match (true) {
            $payment['status'] === 'partially_refunded' => 'a part was refunded before the order was delivered',
            $takenBack => 'paid, but refunded, reversed or disputed before the order was delivered',
            $amount !== ($asked['amountMinor'] ?? null),
            $currency !== ($asked['currency'] ?? null) => 'paid, but not what you asked for',
            $captured !== $amount => "only $captured of $amount was captured",
            default => null,
        };
    }

    /**
     * To try a kit out: returns the price in this file, prices.json. {"orders": {"order-1": {"amountMinor": 1900,
     * "currency": "USD"}}, "products": {"tea": {"amountMinor": 190000, "currency": "AMD"}}, "subscriptions": {"box-1": ...}}
     */
    public static function priceFromFile(array $payment, string $file): ?array
    {
        $prices = is_file($file) ? json_decode(file_get_contents($file), true, 16, JSON_THROW_ON_ERROR) : [];
        ['merchantOrderId' => $reference, 'metadata' => $metadata] = $payment + ['metadata' => []];
        return match ($metadata['source'] ?? null) {
            'widget' => $prices['products'][$metadata['productId']] ?? null,
            'subscription' => $prices['subscriptions'][preg_replace('~/\d+$~D', '', $reference)] ?? null,
            default => $prices['orders'][$reference] ?? null,
        };
    }
}
