"""Receives Kassa's events in Python 3.9 or newer, with its own SQLite. Copy this file and kassa.py into one folder.

It stores each event before it answers 200, and works afterwards. It decides each order once, in one transaction, also if several
processes run, if one is killed, or if the same event comes twice. Work that fails is tried again.
"""
import json
import os
import sqlite3
import sys
import threading
import time
import traceback
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from kassa import act_of, doubt_of, verify_event

BODY_BYTES_MAX = 262_144
LOCK_WAIT_SECONDS = 8

# For PostgreSQL or MySQL, create these tables in your own database and run the statements below through your driver. Write
# `begin` instead of `begin immediate`. For MySQL, also write `insert ignore` instead of `on conflict do nothing`.
TABLES = """
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
"""


def write_task(db, task, payment, sequence, why):
    """Writes a row of kassa_tasks. Send mail and call other systems from a job that works through these rows."""
    db.execute('insert into kassa_tasks (payment_id, sequence, order_id, task, why) values (?, ?, ?, ?, ?)',
               (payment['id'], sequence, payment['merchantOrderId'], task, why))


class Receiver:
    """Stores events and decides orders.

    `find_order(payment)` returns what you ask for this payment, from your own database: {'amountMinor': ..., 'currency': ...},
    or None. If it raises, the payment waits and is tried again. `add_task` writes down what your shop has to do: DELIVER, ASK A
    PERSON or NOTE. It runs inside the transaction that decides the order, so it must write to `db`.
    """

    def __init__(self, find_order, add_task=write_task, secrets=None, database=None, retry_seconds=None):
        env = os.environ
        self.find_order, self.add_task = find_order, add_task
        self.secrets = env.get('KASSA_WEBHOOK_SECRET', '').split() if secrets is None else secrets
        if not self.secrets:
            raise RuntimeError('Set KASSA_WEBHOOK_SECRET to the callback secret. Whoever runs your Kassa has it.')
        self.database = database or env.get('KASSA_DATABASE', 'kassa.sqlite')
        self.retry_seconds = float(env.get('KASSA_RETRY_SECONDS', '30') if retry_seconds is None else retry_seconds)
        self._worker, self._wake, self._lock = None, threading.Event(), threading.Lock()
        with self._open() as db:
            db.executescript(TABLES)
        self._start_worker()

    @contextmanager
    def _open(self):
        db = sqlite3.connect(self.database, timeout=LOCK_WAIT_SECONDS, isolation_level=None)
        try:
            yield db
        finally:
            db.close()

    def take(self, raw_body, headers):
        """Stores the event. Returns the status and the text of the answer. A thread works afterwards."""
        verified = verify_event(raw_body, headers, self.secrets)
        if not verified.ok:
            return verified.error.status, verified.error.message
        if verified.event['type'] != 'payment.status_changed':
            return 200, 'Events of this type are ignored.'
        self._store(verified.event['payment'], verified.event['sequence'])
        self._start_worker()
        self._wake.set()
        return 200, 'Stored.'

    def _store(self, payment, sequence):
        """Keeps the newest state of each payment. An event that comes twice or late has no higher sequence and changes no state.

        `taken_back` remembers that the payment was ever refunded, reversed or disputed. A refund can fail after it succeeded,
        and the payment is then paid again.
        """
        text, taken_back = json.dumps(payment), int(act_of(payment['status']) == 'take_back')
        with self._open() as db:
            db.execute('insert into kassa_payments (id, sequence, payment, taken_back) values (?, ?, ?, ?) '
                       'on conflict do nothing', (payment['id'], sequence, text, taken_back))
            if taken_back:
                db.execute('update kassa_payments set taken_back = 1 where id = ?', (payment['id'],))
            db.execute('update kassa_payments set sequence = ?, payment = ?, pending = 1 where id = ? and sequence < ?',
                       (sequence, text, payment['id'], sequence))

    def _start_worker(self):
        """A server may fork after the receiver was opened, and threads stay behind then: each process starts its own."""
        with self._lock:
            if self._worker != os.getpid():
                self._worker, self._wake = os.getpid(), threading.Event()
                threading.Thread(target=self._work_for_ever, args=(self._wake,), daemon=True).start()

    def _work_for_ever(self, wake):
        """Finds what a crash or an error has left over, at the start, after each event, and every 30 seconds."""
        while True:
            wake.clear()
            try:
                self.work()
            except Exception:
                traceback.print_exc()
            wake.wait(self.retry_seconds)

    def work(self):
        """Handles all payments that are pending. One that fails stays pending and does not stop the others."""
        with self._open() as db:
            for (payment_id,) in db.execute('select id from kassa_payments where pending = 1').fetchall():
                try:
                    self._handle(db, payment_id)
                except Exception:
                    print(f'{payment_id} is tried again in {self.retry_seconds} s:', file=sys.stderr)
                    traceback.print_exc()

    def _handle(self, db, payment_id):
        news = db.execute('select sequence, payment, taken_back from kassa_payments where id = ? and pending = 1',
                          (payment_id,)).fetchone()
        if not news:
            return
        sequence, payment, taken_back = news[0], json.loads(news[1]), news[2]
        asked = self.find_order(payment)
        task = None
        db.execute('begin immediate')
        try:
            # No row changes if another process was faster, or if another event has come, which is then handled by itself.
            if db.execute('update kassa_payments set pending = 0 '
                          'where id = ? and sequence = ? and taken_back = ? and pending = 1',
                          (payment_id, sequence, taken_back)).rowcount == 1:
                task, why = self._decide(db, payment, asked, bool(taken_back))
                self.add_task(db, task, payment, sequence, why)
            db.execute('commit')
        except BaseException:
            db.execute('rollback')
            raise
        if task:
            print(f"{task} {payment['merchantOrderId']}: {why}", flush=True)

    def _decide(self, db, payment, asked, was_taken_back):
        """Returns the task and its reason. The first payment that brings money for an order decides the order.

        The primary key of kassa_orders makes sure of that, between two processes and between two payments of one order.
        """
        status, order_id = payment['status'], payment['merchantOrderId']
        if status not in ('paid', 'partially_refunded'):
            return 'NOTE', status
        doubt = doubt_of(payment, asked, was_taken_back)
        task = 'ASK A PERSON' if doubt else 'DELIVER'
        if db.execute('insert into kassa_orders (order_id, payment_id, task) values (?, ?, ?) on conflict do nothing',
                      (order_id, payment['id'], task)).rowcount == 1:
            product = payment.get('metadata', {}).get('productId')
            sold = f"paid {payment['amountMinor']} {payment['currency']}" + (f' for {product}' if product else '')
            return task, doubt or sold
        first = db.execute('select payment_id from kassa_orders where order_id = ?', (order_id,)).fetchone()[0]
        if first == payment['id']:
            return 'NOTE', status
        return 'ASK A PERSON', f'{status}, but {first} paid the same order'

    def serve(self, port, host='127.0.0.1'):
        """Receives events without a framework."""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            timeout = 10

            def do_POST(self):
                try:
                    length = int(self.headers.get('Content-Length') or 0)
                    if not 0 <= length <= BODY_BYTES_MAX:
                        return self.answer(413, 'The body is too large for an event.')
                    self.answer(*receiver.take(self.rfile.read(length), self.headers))
                except Exception:
                    traceback.print_exc()
                    self.answer(500, 'The event was not stored. Kassa sends it again.')

            def answer(self, status, text):
                body = text.encode()
                self.send_response(status)
                self.send_header('Content-Type', 'text/plain')
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        ThreadingHTTPServer((host, int(port)), Handler).serve_forever()
