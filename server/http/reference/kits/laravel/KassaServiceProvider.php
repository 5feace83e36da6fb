<?php

/**
 * Receives Kassa's events in Laravel 8 or newer, on PHP 8.1 or newer. Two files:
 *
 *   app/Providers/KassaServiceProvider.php      this file; fill in the two functions below
 *   database/migrations/2026_01_01_000000_create_kassa_tables.php
 *
 * Add KassaServiceProvider::class to bootstrap/providers.php (before Laravel 11: to `providers` in config/app.php), and
 * 'kassa' => ['secret' => env('KASSA_WEBHOOK_SECRET')] to config/services.php. Then run `php artisan migrate`. The scheduler
 * runs `kassa:work` every minute to try again what failed, so cron has to call `php artisan schedule:run` as usual.
 *
 * Then ask whoever runs your Kassa to send your events to https://your-shop.example/kassa/callback and to verify that address.
 *
 * It stores each event before it answers 200, and works afterwards. It decides each order once, in one transaction, also if
 * several processes run, if one is killed, or if the same event comes twice. It uses the query builder and your own database.
 */

namespace App\Providers;

use Illuminate\Console\Scheduling\Schedule;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Support\Facades\Artisan;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Log;
use Illuminate\Support\Facades\Route;
use Illuminate\Support\ServiceProvider;
use RuntimeException;
use Throwable;

class KassaServiceProvider extends ServiceProvider
{
    private const TOLERANCE_SECONDS = 300;
    private const TAKEN_BACK = ['partially_refunded', 'refunded', 'reversed', 'disputed'];

    // ------------------------------------------------------------------------------------------ fill in these two

    /**
     * Returns what you ask for this payment, from your own database: ['amountMinor' => ..., 'currency' => ...], or null. A
     * payment that you created has your order's reference. A payment of the button has the product in its metadata and a
     * generated reference. A payment of a subscription has your reference for it, a slash and the number of the period.
     * If this function throws, the payment waits and is tried again.
     */
    private function findOrder(array $payment): ?array
    {
        // To try it out: {"orders": {"order-1": {"amountMinor": 1900, "currency": "USD"}},
        // "products": {"tea": {"amountMinor": 190000, "currency": "AMD"}}, "subscriptions": {"box-1": ...}}
        $file = base_path('prices.json');
        $prices = is_file($file) ? json_decode(file_get_contents($file), true, 16, JSON_THROW_ON_ERROR) : [];
        ['merchantOrderId' => $reference, 'metadata' => $metadata] = $payment + ['metadata' => []];
        return match ($metadata['source'] ?? null) {
            'widget' => $prices['products'][$metadata['productId']] ?? null,
            'subscription' => $prices['subscriptions'][preg_replace('~/\d+$~D', '', $reference)] ?? null,
            default => $prices['orders'][$reference] ?? null,
        };
    }

    /**
     * Writes down what your shop has to do: DELIVER, ASK A PERSON or NOTE. It runs inside the transaction that decides the
     * order, so it must write to the same database. If it throws, nothing of the transaction stays, and the payment is tried
     * again. For mail and calls to other systems, dispatch a job with `->afterCommit()`.
     */
    private function addTask(string $task, array $payment, int $sequence, string $why): void
    {
        DB::table('kassa_tasks')->insert([
            'payment_id' => $payment['id'], 'sequence' => $sequence, 'order_id' => $payment['merchantOrderId'],
            'task' => $task, 'why' => $why, 'created_at' => now(),
        ]);
    }

    // -------------------------------------------------------------------------------------------- the rest works

    public function boot(): void
    {
        // The route is outside the group `web`: Kassa has no session and no CSRF token. The signature proves who sent it.
        Route::post('/kassa/callback', fn (Request $request) => $this->receive($request));
        // Inside the command's closure, $this is the command.
        $work = $this->work(...);
        Artisan::command('kassa:work', fn () => $work(DB::table('kassa_payments')->where('pending', 1)->pluck('id')))
            ->purpose('Handle the payments of Kassa that are pending');
        $this->callAfterResolving(
            Schedule::class,
            fn (Schedule $schedule) => $schedule->command('kassa:work')->everyMinute(),
        );
    }

    private function receive(Request $request): Response
    {
        $refusal = $this->refusalOf($request->getContent(), (string) $request->header('X-SERVICE-Signature'));
        if ($refusal !== null) {
            return response($refusal, 401, ['Content-Type' => 'text/plain']);
        }
        $event = json_decode($request->getContent(), true, 64, JSON_THROW_ON_ERROR);
        if ($event['type'] === 'payment.status_changed') {
            // If this throws, Laravel answers 500, and Kassa sends the event again.
            $this->store($event['payment'], $event['sequence']);
            // Answer first and work afterwards. Kassa waits 15 seconds for the answer, then sends the event again.
            $this->app->terminating(fn () => $this->work([$event['payment']['id']]));
        }
        return response('Stored.', 200, ['Content-Type' => 'text/plain']);
    }

    /** Returns why this request is not an event of Kassa, or null if it is one. */
    private function refusalOf(string $rawBody, string $header): ?string
    {
        $secret = config('services.kassa.secret') ?: throw new RuntimeException('Set services.kassa.secret.');
        if (!preg_match('/(?:^|,)t=(\d{10})(?:,|$)/', $header, $found)) {
            return 'There is no X-SERVICE-Signature header with a time in seconds.';
        }
        $expected = hash_hmac('sha256', "$found[1].$rawBody", $secret);
        // While a secret is being rotated there are several v1. One that matches is enough.
        $fits = collect(explode(',', $header))
            ->contains(fn ($part) => str_starts_with($part, 'v1=') && hash_equals($expected, substr($part, 3)));
        if (!$fits) {
            return 'No signature fits: check the secret, and that the body is read as it came.';
        }
        $age = time() - (int) $found[1];
        return abs($age) > self::TOLERANCE_SECONDS ? "It was signed $age s ago: check this machine's clock." : null;
    }

    /**
     * Keeps the newest state of each payment. An event that comes twice or late has no higher sequence and changes no
     * state. `taken_back` remembers that the payment was ever refunded, reversed or disputed. A refund can fail after it
     * succeeded, and the payment is then paid again.
     */
    private function store(array $payment, int $sequence): void
    {
        $news = ['sequence' => $sequence, 'payment' => json_encode($payment, JSON_THROW_ON_ERROR), 'pending' => 1];
        $takenBack = in_array($payment['status'], self::TAKEN_BACK, true);
        DB::table('kassa_payments')->insertOrIgnore(['id' => $payment['id'], 'taken_back' => $takenBack] + $news);
        if ($takenBack) {
            DB::table('kassa_payments')->where('id', $payment['id'])->update(['taken_back' => true]);
        }
        DB::table('kassa_payments')->where('id', $payment['id'])->where('sequence', '<', $sequence)->update($news);
    }

    /** Handles these payments. One that fails stays pending and does not stop the others. */
    private function work(iterable $ids): void
    {
        foreach ($ids as $id) {
            try {
                $this->handle($id);
            } catch (Throwable $error) {
                Log::error("$id is tried again by the next kassa:work: $error");
            }
        }
    }

    private function handle(string $id): void
    {
        $news = DB::table('kassa_payments')->where('id', $id)->where('pending', 1)->first();
        if (!$news) {
            return;
        }
        $payment = json_decode($news->payment, true, 64, JSON_THROW_ON_ERROR);
        $asked = $this->findOrder($payment);
        DB::transaction(function () use ($id, $news, $payment, $asked) {
            // No row changes if another process was faster, or if another event has come, which is then handled by itself.
            $mine = DB::table('kassa_payments')
                ->where(['id' => $id, 'sequence' => $news->sequence, 'taken_back' => $news->taken_back, 'pending' => 1])
                ->update(['pending' => 0]);
            if ($mine === 1) {
                [$task, $why] = $this->decide($payment, $asked, (bool) $news->taken_back);
                $this->addTask($task, $payment, (int) $news->sequence, $why);
            }
        });
    }

    /**
     * Returns the task and its reason. The first payment that brings money for an order decides the order. The primary key
     * of kassa_orders makes sure of that, between two processes and between two payments of one order.
     */
    private function decide(array $payment, ?array $asked, bool $takenBack): array
    {
        ['id' => $id, 'merchantOrderId' => $orderId, 'status' => $status] = $payment;
        if ($status !== 'paid' && $status !== 'partially_refunded') {
            return ['NOTE', $status];
        }
        $doubt = $this->doubtOf($payment, $asked, $takenBack);
        $task = $doubt ? 'ASK A PERSON' : 'DELIVER';
        $order = ['order_id' => $orderId, 'payment_id' => $id, 'task' => $task];
        if (DB::table('kassa_orders')->insertOrIgnore($order) === 1) {
            $product = isset($payment['metadata']['productId']) ? " for {$payment['metadata']['productId']}" : '';
            return [$task, $doubt ?? "paid {$payment['amountMinor']} {$payment['currency']}$product"];
        }
        $first = DB::table('kassa_orders')->where('order_id', $orderId)->value('payment_id');
        return $first === $id ? ['NOTE', $status] : ['ASK A PERSON', "$status, but $first paid the same order"];
    }

    /** Returns why a person must look before anything is delivered, or null. */
    private function doubtOf(array $payment, ?array $asked, bool $takenBack): ?string
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
}
