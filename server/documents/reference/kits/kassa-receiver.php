<?php
/**
 * Receives Kassa's events in PHP 8.1 or newer with PDO and SQLite (php-sqlite3). Copy this file and KassaCore.php into one
 * folder, and fill in the two functions below. To try it:
 *
 *   KASSA_WEBHOOK_SECRET=whsec_... php -S 127.0.0.1:4000 kassa-receiver.php
 *
 * On a web server, put it where it can be called. Set KASSA_WEBHOOK_SECRET in its environment (SetEnv, fastcgi_param, env[]
 * of the pool), in double quotes, and KASSA_DATABASE to a file in a folder that it may write to and that is not served.
 *
 * Work that fails is tried again by cron. This line is needed, with the same KASSA_DATABASE and the web server's user:
 *
 *   * * * * * KASSA_DATABASE=/var/lib/shop/kassa.sqlite php /path/to/kassa-receiver.php
 *
 * Then ask whoever runs your Kassa to send your events to http://127.0.0.1:4000/kassa/callback and to verify that address.
 *
 * The program stores each event before it answers 200, and works afterwards. It decides each order once, in one
 * transaction, also if several processes run, if one is killed, or if the same event comes twice.
 */
declare(strict_types=1);

use App\Kassa\KassaCore;

require __DIR__ . '/KassaCore.php';

// ---------------------------------------------------------------------------------------------- fill in these two

/**
 * Returns what you ask for this payment, from your own database: ['amountMinor' => ..., 'currency' => ...], or null. A
 * payment that you created has your order's reference. A payment of the button has the product in its metadata and a
 * generated reference. A payment of a subscription has your reference for it, a slash and the number of the period.
 * If this function throws, the payment waits and is tried again.
 */
function find_order(array $payment): ?array
{
    // Only to try it out: KassaCore.php reads prices.json.
    return KassaCore::priceFromFile($payment, getenv('KASSA_PRICES') ?: __DIR__ . '/prices.json');
}

/**
 * Writes down what your shop has to do: DELIVER, ASK A PERSON or NOTE. It runs inside the transaction that decides the
 * order, so it must write to the same database. If it throws, nothing of the transaction stays, and the payment is tried
 * again. Send mail and call other systems from a job that works through these rows.
 */
function add_task(string $task, array $payment, int $sequence, string $why): void
{
    query(
        'insert into kassa_tasks (payment_id, sequence, order_id, task, why) values (?, ?, ?, ?, ?)',
        [$payment['id'], $sequence, $payment['merchantOrderId'], $task, $why],
    );
}

// ------------------------------------------------------------------------------------------------ the rest works

const BODY_BYTES_MAX = 262144;

/**
 * For PostgreSQL or MySQL, create these tables in your own database and give its DSN to PDO. Write `begin` instead of
 * `begin immediate`. For MySQL, also write `insert ignore` instead of `on conflict do nothing`.
 */
const TABLES = <<<'SQL'
create table if not exists kassa_payments (
  id varchar(60) primary key, sequence integer not null, payment text not null, pending integer not null default 1,
  taken_back integer not null);
create index if not exists kassa_payments_pending on kassa_payments (pending);
create table if not exists kassa_orders (
  order_id varchar(160) primary key, payment_id varchar(60) not null, task varchar(20) not null);
create table if not exists kassa_tasks (
  payment_id varchar(60) not null, sequence integer not null, order_id varchar(160) not null, task varchar(20) not null,
  why text not null, created_at timestamp not null default current_timestamp, done_at timestamp,
  primary key (payment_id, sequence));
SQL;

function db(): PDO
{
    static $db = null;
    if ($db === null) {
        $db = new PDO('sqlite:' . (getenv('KASSA_DATABASE') ?: dirname(__DIR__) . '/kassa.sqlite'));
        $db->setAttribute(PDO::ATTR_TIMEOUT, 8); // seconds to wait for a lock
        $db->exec(TABLES);
    }
    return $db;
}

function query(string $sql, array $values = []): PDOStatement
{
    $statement = db()->prepare($sql);
    $statement->execute($values);
    return $statement;
}

/**
 * Keeps the newest state of each payment. An event that comes twice or late has no higher sequence and changes no state.
 * `taken_back` remembers that the payment was ever refunded, reversed or disputed. A refund can fail after it succeeded,
 * and the payment is then paid again.
 */
function store(array $payment, int $sequence, bool $takenBack): void
{
    $text = json_encode($payment, JSON_THROW_ON_ERROR);
    query('insert into kassa_payments (id, sequence, payment, taken_back) values (?, ?, ?, ?) on conflict do nothing',
        [$payment['id'], $sequence, $text, (int) $takenBack]);
    if ($takenBack) {
        query('update kassa_payments set taken_back = 1 where id = ?', [$payment['id']]);
    }
    query('update kassa_payments set sequence = ?, payment = ?, pending = 1 where id = ? and sequence < ?',
        [$sequence, $text, $payment['id'], $sequence]);
}

/** Handles these payments. One that fails stays pending and does not stop the others. */
function work(array $ids): void
{
    foreach ($ids as $id) {
        try {
            handle($id);
        } catch (Throwable $error) {
            error_log("$id is tried again by the next run of cron: $error");
        }
    }
}

function handle(string $id): void
{
    $rows = query('select sequence, payment, taken_back from kassa_payments where id = ? and pending = 1', [$id])
        ->fetchAll();
    if (!$rows) {
        return;
    }
    ['sequence' => $sequence, 'payment' => $text, 'taken_back' => $takenBack] = $rows[0];
    $payment = json_decode($text, true, 64, JSON_THROW_ON_ERROR);
    $asked = find_order($payment);
    $task = null;
    db()->exec('begin immediate');
    try {
        // No row changes if another process was faster, or if another event has come, which is then handled by itself.
        $mine = query('update kassa_payments set pending = 0 where id = ? and sequence = ? and taken_back = ? and pending = 1',
            [$id, $sequence, $takenBack]);
        if ($mine->rowCount() === 1) {
            [$task, $why] = KassaCore::decide($payment, $asked, (bool) $takenBack, claim(...));
            add_task($task, $payment, (int) $sequence, $why);
        }
        db()->exec('commit');
    } catch (Throwable $error) {
        db()->exec('rollback');
        throw $error;
    }
    if ($task) {
        error_log("$task {$payment['merchantOrderId']}: $why");
    }
}

/** Stores which payment decided the order. If one is stored already, returns its id. */
function claim(array $order): ?string
{
    $inserted = query('insert into kassa_orders (order_id, payment_id, task) values (?, ?, ?) on conflict do nothing',
        array_values($order));
    return $inserted->rowCount() === 1
        ? null
        : query('select payment_id from kassa_orders where order_id = ?', [$order['order_id']])->fetchColumn();
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
    $secret = getenv('KASSA_WEBHOOK_SECRET')
        ?: throw new RuntimeException('Set KASSA_WEBHOOK_SECRET to the callback secret. Whoever runs your Kassa has it.');
    // Anything but an event, such as a GET request, has no signature.
    $rawBody = (string) file_get_contents('php://input', false, null, 0, BODY_BYTES_MAX);
    [$status, $text, $id] = KassaCore::take($secret, $rawBody, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '', store(...));
    answer($status, $text);
    work(array_filter([$id]));
}

if (PHP_SAPI === 'cli') {
    // Cron calls this file to find what a crash or an error has left over.
    work(array_column(query('select id from kassa_payments where pending = 1')->fetchAll(), 'id'));
    exit;
}
try {
    receive();
} catch (Throwable $error) {
    error_log((string) $error);
    if (!headers_sent()) {
        answer(500, 'The event was not stored. Kassa sends it again.');
    }
}
