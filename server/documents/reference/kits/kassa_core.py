"""The core of the kits for Python, Flask, FastAPI and Django. Put this file beside the kit. There is nothing to fill in here.

Each event is stored before the kit answers 200. Each order is decided once, in one transaction, also if several processes
run, if one is killed, or if the same event comes twice. Work that fails is tried again.

`refusal_of` and `decide` are for all kits. `SqliteKassa` keeps the payments in SQLite. Django keeps them in its models, and
does not use that class.
"""
import hashlib
import hmac
import json
import os
import re
import sqlite3
import sys
import time
import traceback
from contextlib import contextmanager

BODY_BYTES_MAX = 262_144
TOLERANCE_SECONDS = 300
LOCK_WAIT_SECONDS = 8
TAKEN_BACK = ('partially_refunded', 'refunded', 'reversed', 'disputed')
RETRY_SECONDS = float(os.environ.get('KASSA_RETRY_SECONDS', '30'))


def refusal_of(secret, raw_body, header):
    """Returns why this request is not an event of Kassa, or None if it is one."""
    parts = [part.partition('=') for part in header.split(',')]
    t = next((value for name, _, value in parts if name == 't'), '')
    if not re.fullmatch('[0-9]{10}', t):
        return 'There is no X-SERVICE-Signature header with a time in seconds.'
    expected = hmac.new(secret.encode(), t.encode() + b'.' + raw_body, hashlib.sha256).hexdigest().encode()
    # While a secret is being rotated there are several v1. One that matches is enough.
    given = [value.encode() for name, _, value in parts if name == 'v1']
    if not any(hmac.compare_digest(each, expected) for each in given):
        return 'No signature fits: check the secret, and that the body is read as it came.'
    age = round(time.time() - int(t))
    return f"It was signed {age} s ago: check this machine's clock." if abs(age) > TOLERANCE_SECONDS else None


def take(secret, raw_body, header, store):
    """Stores the event. Returns the status and text of the answer, and the payment's id if there is something to do."""
    refusal = refusal_of(secret, raw_body, header)
    if refusal:
        return 401, refusal, None
    event = json.loads(raw_body)
    if event['type'] != 'payment.status_changed':
        return 200, 'This kit ignores events of this type.', None
    store(event['payment'], event['sequence'])
    return 200, 'Stored.', event['payment']['id']


def decide(payment, asked, taken_back, claim):
    """Returns the task and its reason. The first payment that brings money for an order decides the order.

    `claim` stores which payment decided the order and with which task. If one is stored already, it returns its id.
    The primary key of the orders makes sure of that, between two processes and between two payments of one order.
    """
    status = payment['status']
    if status not in ('paid', 'partially_refunded'):
        return 'NOTE', status
    doubt = doubt_of(payment, asked or {}, taken_back)
    task = 'ASK A PERSON' if doubt else 'DELIVER'
    first = claim(payment['merchantOrderId'], payment['id'], task)
    if first is None:
        product = payment.get('metadata', {}).get('productId')
        sold = f"paid {payment['amountMinor']} {payment['currency']}" + (f' for {product}' if product else '')
        return task, doubt or sold
    if first == payment['id']:
        return 'NOTE', status
    return 'ASK A PERSON', f'{status}, but {first} paid the same order'


def doubt_of(payment, asked, taken_back):
    """Returns why a person must look before anything is delivered, or None."""
    amount = payment['amountMinor']
    captured = payment.get('capturedMinor', amount)
    if payment['status'] == 'partially_refunded':
        return 'a part was refunded before the order was delivered'
    if taken_back:
        return 'paid, but refunded, reversed or disputed before the order was delivered'
    if any(asked.get(name) != payment[name] for name in ('amountMinor', 'currency')):
        return 'paid, but not what you asked for'
    return None if captured == amount else f'only {captured} of {amount} was captured'


def price_from_file(payment, path=os.environ.get('KASSA_PRICES', 'prices.json')):
    """To try a kit out: returns the price in the file prices.json.

    {"orders": {"order-1": {"amountMinor": 1900, "currency": "USD"}},
     "products": {"tea": {"amountMinor": 190000, "currency": "AMD"}}, "subscriptions": {"box-1": ...}}
    """
    if not os.path.exists(path):
        return None
    with open(path, encoding='utf-8') as file:
        prices = json.load(file)
    metadata, reference = payment.get('metadata', {}), payment['merchantOrderId']
    if metadata.get('source') == 'widget':
        return prices.get('products', {}).get(metadata['productId'])
    if metadata.get('source') == 'subscription':
        return prices.get('subscriptions', {}).get(reference.rpartition('/')[0])
    return prices.get('orders', {}).get(reference)


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


@contextmanager
def database():
    db = sqlite3.connect(os.environ.get('KASSA_DATABASE', 'kassa.sqlite'), timeout=LOCK_WAIT_SECONDS, isolation_level=None)
    try:
        yield db
    finally:
        db.close()


class SqliteKassa:
    """Stores events and decides orders in SQLite. You fill in the two functions in the kit."""

    def __init__(self, find_order, add_task):
        self.find_order, self.add_task = find_order, add_task
        self.secret = os.environ.get('KASSA_WEBHOOK_SECRET', '')
        if not self.secret:
            raise RuntimeError('Set KASSA_WEBHOOK_SECRET to the callback secret. Whoever runs your Kassa has it.')
        with database() as db:
            db.executescript(TABLES)

    def take(self, raw_body, header):
        return take(self.secret, raw_body, header or '', self.store)

    def store(self, payment, sequence):
        """Keeps the newest state of each payment. An event that comes twice or late has no higher sequence and changes no state.

        `taken_back` remembers that the payment was ever refunded, reversed or disputed. A refund can fail after it succeeded,
        and the payment is then paid again.
        """
        text, taken_back = json.dumps(payment), int(payment['status'] in TAKEN_BACK)
        with database() as db:
            db.execute('insert into kassa_payments (id, sequence, payment, taken_back) values (?, ?, ?, ?) '
                       'on conflict do nothing', (payment['id'], sequence, text, taken_back))
            if taken_back:
                db.execute('update kassa_payments set taken_back = 1 where id = ?', (payment['id'],))
            db.execute('update kassa_payments set sequence = ?, payment = ?, pending = 1 where id = ? and sequence < ?',
                       (sequence, text, payment['id'], sequence))

    def work(self, payment_id=None):
        """Handles this payment, or all that are pending. One that fails stays pending and does not stop the others."""
        with database() as db:
            ids = [payment_id] if payment_id else [
                row[0] for row in db.execute('select id from kassa_payments where pending = 1').fetchall()]
            for each in ids:
                try:
                    self.handle(db, each)
                except Exception:
                    print(f'{each} is tried again later:', file=sys.stderr)
                    traceback.print_exc()

    def work_for_ever(self):
        """Finds what a crash or an error has left over, at the start and then every 30 seconds."""
        while True:
            try:
                self.work()
            except Exception:
                traceback.print_exc()
            time.sleep(RETRY_SECONDS)

    def handle(self, db, payment_id):
        news = db.execute('select sequence, payment, taken_back from kassa_payments where id = ? and pending = 1',
                          (payment_id,)).fetchone()
        if not news:
            return
        sequence, payment, taken_back = news[0], json.loads(news[1]), news[2]
        asked = self.find_order(payment)
        task = None

        def claim(order_id, payment_id, task):
            if db.execute('insert into kassa_orders (order_id, payment_id, task) values (?, ?, ?) on conflict do nothing',
                          (order_id, payment_id, task)).rowcount == 1:
                return None
            return db.execute('select payment_id from kassa_orders where order_id = ?', (order_id,)).fetchone()[0]

        db.execute('begin immediate')
        try:
            # No row changes if another process was faster, or if another event has come, which is then handled by itself.
            if db.execute('update kassa_payments set pending = 0 '
                          'where id = ? and sequence = ? and taken_back = ? and pending = 1',
                          (payment_id, sequence, taken_back)).rowcount == 1:
                task, why = decide(payment, asked, taken_back, claim)
                self.add_task(db, task, payment, sequence, why)
            db.execute('commit')
        except BaseException:
            db.execute('rollback')
            raise
        if task:
            print(f"{task} {payment['merchantOrderId']}: {why}", flush=True)
