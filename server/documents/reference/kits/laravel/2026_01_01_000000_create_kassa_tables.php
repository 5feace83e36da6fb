<?php

/** The tables of KassaServiceProvider. Save this file in database/migrations. */

use Illuminate\Database\Migrations\Migration;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Support\Facades\Schema;

return new class extends Migration
{
    public function up(): void
    {
        // The newest state of each payment. `pending`: the shop has not handled this state yet. `taken_back`: the payment
        // was ever refunded, reversed or disputed.
        Schema::create('kassa_payments', function (Blueprint $table) {
            $table->string('id', 60)->primary();
            $table->unsignedInteger('sequence');
            $table->text('payment');
            $table->boolean('pending')->index();
            $table->boolean('taken_back');
        });
        // The orders that are decided. The primary key makes sure that each is decided once.
        Schema::create('kassa_orders', function (Blueprint $table) {
            $table->string('order_id', 160)->primary();
            $table->string('payment_id', 60);
            $table->string('task', 20);
        });
        // What your shop has to do.
        Schema::create('kassa_tasks', function (Blueprint $table) {
            $table->string('payment_id', 60);
            $table->unsignedInteger('sequence');
            $table->string('order_id', 160);
            $table->string('task', 20);
            $table->text('why');
            $table->timestamp('created_at');
            $table->timestamp('done_at')->nullable();
            $table->primary(['payment_id', 'sequence']);
        });
    }

    public function down(): void
    {
        Schema::dropIfExists('kassa_tasks');
        Schema::dropIfExists('kassa_orders');
        Schema::dropIfExists('kassa_payments');
    }
};
