<?php

/**
 * Receives Kassa's events in PHP 7.4 or newer with PDO: SQLite, PostgreSQL or MySQL. Copy this file and Kassa.php into one folder.
 *
 * It stores each event before it answers 200, and works afterwards. It decides each order once, in one transaction, also if several
 * processes run, if one is killed, or if the same event comes twice. Work that fails is tried again when `work` runs next, so let
 * cron call it every minute.
 */

declare(strict_types=1);

namespace Kassa;

use PDO;
use PDOStatement;
use RuntimeException;
use Throwable;

require_once __DIR__ . '/Kassa.php';

final class Receiver
{
    private const BODY_BYTES_MAX = 262144;
    private const TABLES = [
        'kassa_payments' => 'id varchar(60) primary key, sequence integer not null, payment text not null,
            pending integer not null, taken_back integer not null',
        'kassa_orders' => 'order_id varchar(160) primary key, payment_id varchar(60) not null, task varchar(20) not null',
        'kassa_tasks' => 'payment_id varchar(60) not null, sequence integer not null, order_id varchar(160) not null,
            task varchar(20) not null, why text not null, created_at timestamp not null default current_timestamp,
            done_at timestamp null, primary key (payment_id, sequence)',
    ];

    private PDO $db;
    /** @var callable */
    private $findOrder;
    /** @var callable */
    private $addTask;
    /** @var array|string */
    private $secrets;

    /**
     * `$findOrder($payment)` returns what you ask for this payment, from your own database: `['amountMinor' => ..., 'currency' =>
     * ...]`, or null. If it throws, the payment waits and is tried again. `$options`: `secrets` (by default of
     * KASSA_WEBHOOK_SECRET), `db` (a PDO of your own database, with the tables of `install`; by default SQLite in KASSA_DATABASE,
     * else in `kassa.sqlite` beside this file), and `addTask`, which writes down what your shop has to do: DELIVER, ASK A PERSON or
     * NOTE. It runs inside the transaction that decides the order, so it must write to the same database.
     */
    public function __construct(callable $findOrder, array $options = [])
    {
        $this->findOrder = $findOrder;
        $this->addTask = $options['addTask'] ?? [$this, 'writeTask'];
        $this->secrets = $options['secrets'] ?? array_filter(explode(' ', (string) getenv('KASSA_WEBHOOK_SECRET')));
        if (!$this->secrets) {
            throw new RuntimeException('Set KASSA_WEBHOOK_SECRET to the callback secret. Whoever runs your Kassa has it.');
        }
        $this->db = $options['db'] ?? new PDO('sqlite:' . self::databaseFile());
        $this->db->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
        if (!isset($options['db'])) {
            $this->db->setAttribute(PDO::ATTR_TIMEOUT, 8); // seconds to wait for a lock
            $this->install();
        }
    }

    /** The file in KASSA_DATABASE, else `kassa.sqlite` beside this one. It holds your buyers' payments, so no browser may fetch it. */
    private static function databaseFile(): string
    {
        if (getenv('KASSA_DATABASE')) {
            return getenv('KASSA_DATABASE');
        }
        // It was stored one folder higher once. Whoever has it there keeps it, so that no order is decided twice.
        $before = dirname(__DIR__) . '/kassa.sqlite';
        $file = is_file($before) ? $before : __DIR__ . '/kassa.sqlite';
        $given = (string) ($_SERVER['DOCUMENT_ROOT'] ?? '');
        $root = $given === '' ? false : realpath($given);
        // The server for trying out lets every request through to the kit.
        $isServed = $root !== false && PHP_SAPI !== 'cli-server';
        if ($isServed && strpos(realpath(dirname($file)) . '/', rtrim($root, '/') . '/') === 0) {
            throw new RuntimeException("Set KASSA_DATABASE to a file outside $root, such as /var/lib/shop/kassa.sqlite: a browser could fetch $file.");
        }
        return $file;
    }

    /** Creates the tables. For a database of your own, call it once. */
    public function install(): void
    {
        $isMysql = $this->db->getAttribute(PDO::ATTR_DRIVER_NAME) === 'mysql';
        foreach (self::TABLES as $name => $columns) {
            $index = $isMysql && $name === 'kassa_payments' ? ', index (pending)' : '';
            $this->db->exec("create table if not exists $name ($columns$index)");
        }
        if (!$isMysql) {
            $this->db->exec('create index if not exists kassa_payments_pending on kassa_payments (pending)');
        }
    }

    /** Stores the event. Returns the status and the text of the answer. Answer, and then call `work`. */
    public function take(?string $rawBody, array $headers): array
    {
        $verified = verifyEvent($rawBody, $headers, ['secrets' => $this->secrets]);
        if (!$verified->ok) {
            return [$verified->error->status, $verified->error->message];
        }
        ['type' => $type, 'payment' => $payment, 'sequence' => $sequence] = $verified->event;
        if ($type !== 'payment.status_changed') {
            return [200, 'Events of this type are ignored.'];
        }
        $this->store($payment, $sequence);
        return [200, 'Stored.'];
    }

    /**
     * Keeps the newest state of each payment. An event that comes twice or late has no higher sequence and changes no state.
     * `taken_back` remembers that the payment was ever refunded, reversed or disputed. A refund can fail after it succeeded, and the
     * payment is then paid again.
     */
    private function store(array $payment, int $sequence): void
    {
        $text = json_encode($payment, JSON_THROW_ON_ERROR);
        $takenBack = actOf($payment['status']) === 'take_back' ? 1 : 0;
        $this->insertOnce('kassa_payments (id, sequence, payment, pending, taken_back)', [$payment['id'], $sequence, $text, 1, $takenBack]);
        if ($takenBack) {
            $this->query('update kassa_payments set taken_back = 1 where id = ?', [$payment['id']]);
        }
        $this->query(
            'update kassa_payments set sequence = ?, payment = ?, pending = 1 where id = ? and sequence < ?',
            [$sequence, $text, $payment['id'], $sequence]
        );
    }

    private function query(string $sql, array $values = []): PDOStatement
    {
        $statement = $this->db->prepare($sql);
        $statement->execute($values);
        return $statement;
    }

    /** Returns whether the row is new. */
    private function insertOnce(string $into, array $values): bool
    {
        $isMysql = $this->db->getAttribute(PDO::ATTR_DRIVER_NAME) === 'mysql';
        [$insert, $end] = $isMysql ? ['insert ignore', ''] : ['insert', ' on conflict do nothing'];
        $marks = implode(', ', array_fill(0, count($values), '?'));
        return $this->query("$insert into $into values ($marks)$end", $values)->rowCount() === 1;
    }

    /** Handles all payments that are pending. One that fails stays pending and does not stop the others. */
    public function work(): void
    {
        foreach ($this->query('select id from kassa_payments where pending = 1')->fetchAll(PDO::FETCH_COLUMN) as $id) {
            try {
                $this->handle($id);
            } catch (Throwable $error) {
                error_log("$id is tried again by the next run: $error");
            }
        }
    }

    private function handle(string $id): void
    {
        $rows = $this->query('select sequence, payment, taken_back from kassa_payments where id = ? and pending = 1', [$id])
            ->fetchAll(PDO::FETCH_ASSOC);
        if (!$rows) {
            return;
        }
        ['sequence' => $sequence, 'payment' => $text, 'taken_back' => $takenBack] = $rows[0];
        $payment = json_decode($text, true, 64, JSON_THROW_ON_ERROR);
        $asked = ($this->findOrder)($payment);
        $task = null;
        $this->db->beginTransaction();
        try {
            // No row changes if another process was faster, or if another event has come, which is then handled by itself.
            $mine = $this->query(
                'update kassa_payments set pending = 0 where id = ? and sequence = ? and taken_back = ? and pending = 1',
                [$id, $sequence, $takenBack]
            );
            if ($mine->rowCount() === 1) {
                [$task, $why] = $this->decide($payment, $asked, (bool) $takenBack);
                ($this->addTask)($task, $payment, (int) $sequence, $why);
            }
            $this->db->commit();
        } catch (Throwable $error) {
            $this->db->rollBack();
            throw $error;
        }
        if ($task) {
            error_log("$task {$payment['merchantOrderId']}: $why");
        }
    }

    /** Writes a row of kassa_tasks. Send mail and call other systems from a job that works through these rows. */
    public function writeTask(string $task, array $payment, int $sequence, string $why): void
    {
        $this->query(
            'insert into kassa_tasks (payment_id, sequence, order_id, task, why) values (?, ?, ?, ?, ?)',
            [$payment['id'], $sequence, $payment['merchantOrderId'], $task, $why]
        );
    }

    /**
     * Returns the task and its reason. The first payment that brings money for an order decides the order. The primary key of
     * kassa_orders makes sure of that, between two processes and between two payments of one order.
     */
    private function decide(array $payment, ?array $asked, bool $wasTakenBack): array
    {
        ['id' => $id, 'merchantOrderId' => $orderId, 'status' => $status] = $payment;
        if ($status !== 'paid' && $status !== 'partially_refunded') {
            return ['NOTE', $status];
        }
        $doubt = doubtOf($payment, $asked, ['wasTakenBack' => $wasTakenBack]);
        $task = $doubt ? 'ASK A PERSON' : 'DELIVER';
        if ($this->insertOnce('kassa_orders (order_id, payment_id, task)', [$orderId, $id, $task])) {
            $product = isset($payment['metadata']['productId']) ? " for {$payment['metadata']['productId']}" : '';
            return [$task, $doubt ?? "paid {$payment['amountMinor']} {$payment['currency']}$product"];
        }
        $first = $this->query('select payment_id from kassa_orders where order_id = ?', [$orderId])->fetchColumn();
        return $first === $id ? ['NOTE', $status] : ['ASK A PERSON', "$status, but $first paid the same order"];
    }

    /** Without a framework: receives an event from the web, and works through what is left when cron runs the file. */
    public function run(): void
    {
        if (PHP_SAPI === 'cli') {
            $this->work();
            return;
        }
        try {
            // Anything but an event, such as a GET request, has no signature.
            $rawBody = (string) file_get_contents('php://input', false, null, 0, self::BODY_BYTES_MAX);
            $this->answer(...$this->take($rawBody, $_SERVER));
            $this->work();
        } catch (Throwable $error) {
            error_log((string) $error);
            if (!headers_sent()) {
                $this->answer(500, 'The event was not stored. Kassa sends it again.');
            }
        }
    }

    /** Answers first, so that the work comes afterwards. Kassa waits 15 seconds for the answer, then sends the event again. */
    private function answer(int $status, string $text): void
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
}
