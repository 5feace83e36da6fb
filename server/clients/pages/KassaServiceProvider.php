<?php

/**
 * Save it as app/Providers/KassaServiceProvider.php, and the other files in app/Kassa. Add KassaServiceProvider::class to the providers,
 * and 'kassa' => ['secret' => env('KASSA_WEBHOOK_SECRET')] to config/services.php. `php artisan kassa:work` creates the tables in your
 * database. The scheduler runs it every minute to try again what failed.
 */

namespace App\Providers;

use Illuminate\Console\Scheduling\Schedule;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\{Artisan, DB, Route};
use Illuminate\Support\ServiceProvider;
use Kassa\Receiver;

class KassaServiceProvider extends ServiceProvider
{
    public function boot(): void
    {
        require_once app_path('Kassa/KassaReceiver.php');
        require_once app_path('Kassa/orders.php');
        $this->app->bind(Receiver::class, fn () => new Receiver(
            'find_order',
            ['secrets' => config('services.kassa.secret'), 'db' => DB::connection()->getPdo()]
        ));
        Route::post('/kassa/callback', function (Request $request, Receiver $receiver) {
            [$status, $text] = $receiver->take($request->getContent(), $request->headers->all());
            app()->terminating(fn () => $receiver->work());
            return response($text, $status, ['Content-Type' => 'text/plain']);
        });
        Artisan::command('kassa:work', function (Receiver $receiver) {
            $receiver->install();
            $receiver->work();
        });
        $this->callAfterResolving(Schedule::class, fn (Schedule $schedule) => $schedule->command('kassa:work')->everyMinute());
    }
}
