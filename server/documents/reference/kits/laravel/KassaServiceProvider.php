<?php

/**
 * Receives Kassa's events in Laravel 8 or newer, on PHP 8.1 or newer. Three files:
 *
 *   app/Providers/KassaServiceProvider.php      this file; fill in the two functions below
 *   app/Kassa/KassaCore.php                     the core of both kits for PHP
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

use App\Kassa\KassaCore;
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
    // ------------------------------------------------------------------------------------------ fill in these two

    /**
     * Returns what you ask for this payment, from your own database: ['amountMinor' => ..., 'currency' => ...], or null. A
     * payment that you created has your order's reference. A payment of the button has the product in its metadata and a
     * generated reference. A payment of a subscription has your reference for it, a slash and the number of the period.
     * If this function throws, the payment waits and is tried again.
     */
    private function findOrder(array $payment): ?array
    {
        // Only to try it out: KassaCore.php reads prices.json.
        return KassaCore::priceFromFile($payment, base_path('prices.json'));
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
        $secret = config('services.kassa.secret') ?: throw new RuntimeException('Set services.kassa.secret.');
        $header = (string) $request->header('X-SERVICE-Signature');
        // If this throws, Laravel answers 500, and Kassa sends the event again.
        [$status, $text, $id] = KassaCore::take($secret, $request->getContent(), $header, $this->store(...));
        if ($id) {
            // Answer first and work afterwards. Kassa waits 15 seconds for the answer, then sends the event again.
            $this->app->terminating(fn () => $this->work([$id]));
        }
        return response($text, $status, ['Content-Type' => 'text/plain']);
    }

    /**
     * Keeps the newest state of each payment. An event that comes twice or late has no higher sequence and changes no
     * state. `taken_back` remembers that the payment was ever refunded, reversed or disputed. A refund can fail after it
     * succeeded, and the payment is then paid again.
     */
    private function store(array $payment, int $sequence, bool $takenBack): void
    {
        $news = ['sequence' => $sequence, 'payment' => json_encode($payment, JSON_THROW_ON_ERROR), 'pending' => 1];
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
                [$task, $why] = KassaCore::decide($payment, $asked, (bool) $news->taken_back, $this->claim(...));
                $this->addTask($task, $payment, (int) $news->sequence, $why);
            }
        });
    }

    /** Stores which payment decided the order. If one is stored already, returns its id. */
    private function claim(array $order): ?string
    {
        return DB::table('kassa_orders')->insertOrIgnore($order) === 1
            ? null
            : DB::table('kassa_orders')->where('order_id', $order['order_id'])->value('payment_id');
    }
}
