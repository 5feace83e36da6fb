"""Receives Kassa's events in FastAPI. Copy this file, fill in the two functions below and run it:

    export KASSA_WEBHOOK_SECRET=whsec_...
    uvicorn kassa_receiver_fastapi:app --port 4000 --workers 2
    python3 kassa_receiver_fastapi.py                    (a second program: it tries again what failed)

Keep both running under systemd or supervisor. Without a second program, let cron run
`python3 kassa_receiver_fastapi.py --once` every minute. In an app of your own, write `app.include_router(router)`.

Then ask whoever runs your Kassa to send your events to http://127.0.0.1:4000/kassa/callback and to verify that address.

It stores each event before it answers 200. It decides each order once, in one transaction, also if several
processes run, if one is killed, or if the same event comes twice.
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

from fastapi import APIRouter, BackgroundTasks, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse

SECRET = os.environ.get('KASSA_WEBHOOK_SECRET', '')
DATABASE = os.environ.get('KASSA_DATABASE', 'kassa.sqlite')
PRICES = os.environ.get('KASSA_PRICES', 'prices.json')
RETRY_SECONDS = float(os.environ.get('KASSA_RETRY_SECONDS', '30'))

# ------------------------------------------------------------------------------------------------ fill in these two


def find_order(payment):
    """Returns what you ask for this payment, from your own database: {'amountMinor': ..., 'currency': ...}, or None.

    A payment that you created has your order's reference. A payment of the button has the product in its metadata and
    a generated reference. A payment of a subscription has your reference for it, a slash and the number of the period. If
    this function raises, the payment waits and is tried again.
    """
    # To try it out: {"orders": {"order-1": {"amountMinor": 1900, "currency": "USD"}},
    # "products": {"tea": {"amountMinor": 190000, "currency": "AMD"}}, "subscriptions": {"box-1": ...}}
    if not os.path.exists(PRICES):
        return None
    with open(PRICES, encoding='utf-8') as file:
        prices = json.load(file)
    metadata, reference = payment.get('metadata', {}), payment['merchantOrderId']
    if metadata.get('source') == 'widget':
        return prices.get('products', {}).get(metadata['productId'])
    if metadata.get('source') == 'subscription':
        return prices.get('subscriptions', {}).get(reference.rpartition('/')[0])
    return prices.get('orders', {}).get(reference)


def add_task(db, task, payment, sequence, why):
    """Writes down what your shop has to do: DELIVER, ASK A PERSON or NOTE.

    It runs inside the transaction that decides the order, so it must write to the same database. If it raises, nothing
    of the transaction stays, and the payment is tried again. Send mail and call other systems from a job that works
    through these rows.
    """
    db.execute('insert into kassa_tasks (payment_id, sequence, order_id, task, why) values (?, ?, ?, ?, ?)',
               (payment['id'], sequence, payment['merchantOrderId'], task, why))


# -------------------------------------------------------------------------------------------------- the rest works

TOLERANCE_SECONDS = 300
BODY_BYTES_MAX = 262_144
LOCK_WAIT_SECONDS = 8
TAKEN_BACK = ('partially_refunded', 'refunded', 'reversed', 'disputed')

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
    db = sqlite3.connect(DATABASE, timeout=LOCK_WAIT_SECONDS, isolation_level=None)
    try:
        yield db
    finally:
        db.close()


def create_tables():
    with database() as db:
        db.executescript(TABLES)


def refusal_of(raw_body, header):
    """Returns why this request is not an event of Kassa, or None if it is one."""
    parts = [part.partition('=') for part in header.split(',')]
    t = next((value for name, _, value in parts if name == 't'), '')
    if not re.fullmatch('[0-9]{10}', t):
        return 'There is no X-SERVICE-Signature header with a time in seconds.'
    expected = hmac.new(SECRET.encode(), t.encode() + b'.' + raw_body, hashlib.sha256).hexdigest().encode()
    # While a secret is being rotated there are several v1. One that matches is enough.
    given = [value.encode() for name, _, value in parts if name == 'v1']
    if not any(hmac.compare_digest(each, expected) for each in given):
        return 'No signature fits: check the secret, and that the body is read as it came.'
    age = round(time.time() - int(t))
    return f"It was signed {age} s ago: check this machine's clock." if abs(age) > TOLERANCE_SECONDS else None


def store(payment, sequence):
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


def work(payment_id=None):
    """Handles this payment, or all that are pending. One that fails stays pending and does not stop the others."""
    with database() as db:
        ids = [payment_id] if payment_id else [
            row[0] for row in db.execute('select id from kassa_payments where pending = 1').fetchall()]
        for each in ids:
            try:
                handle(db, each)
            except Exception:
                print(f'{each} is tried again later:', file=sys.stderr)
                traceback.print_exc()


def handle(db, payment_id):
    news = db.execute('select sequence, payment, taken_back from kassa_payments where id = ? and pending = 1',
                      (payment_id,)).fetchone()
    if not news:
        return
    sequence, payment, taken_back = news[0], json.loads(news[1]), news[2]
    asked = find_order(payment)
    db.execute('begin immediate')
    try:
        # No row changes if another process was faster, or if another event has come, which is then handled by itself.
        mine = db.execute('update kassa_payments set pending = 0 '
                          'where id = ? and sequence = ? and taken_back = ? and pending = 1',
                          (payment_id, sequence, taken_back)).rowcount == 1
        task, why = decide(db, payment, asked, taken_back) if mine else (None, None)
        if task:
            add_task(db, task, payment, sequence, why)
        db.execute('commit')
    except BaseException:
        db.execute('rollback')
        raise
    if task:
        print(f"{task} {payment['merchantOrderId']}: {why}", flush=True)


def decide(db, payment, asked, taken_back):
    """Returns the task and its reason. The first payment that brings money for an order decides the order.

    The primary key of kassa_orders makes sure of that, between two processes and between two payments of one order.
    """
    status, order_id = payment['status'], payment['merchantOrderId']
    if status not in ('paid', 'partially_refunded'):
        return 'NOTE', status
    doubt = doubt_of(payment, asked or {}, taken_back)
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


if not SECRET:
    raise RuntimeError('Set KASSA_WEBHOOK_SECRET to the callback secret. Whoever runs your Kassa has it.')
create_tables()
router = APIRouter()


@router.post('/kassa/callback', response_class=PlainTextResponse)
async def callback(request: Request, background_tasks: BackgroundTasks):
    # The signature covers the raw bytes, so the endpoint declares no model for the body.
    raw_body = b''
    async for chunk in request.stream():
        raw_body += chunk
        if len(raw_body) > BODY_BYTES_MAX:
            return PlainTextResponse('The body is too large for an event.', 413)
    refusal = refusal_of(raw_body, request.headers.get('X-SERVICE-Signature', ''))
    if refusal:
        return PlainTextResponse(refusal, 401)
    event = json.loads(raw_body)
    if event['type'] != 'payment.status_changed':
        return 'This kit ignores events of this type.'
    # If this raises, FastAPI answers 500, and Kassa sends the event again.
    await run_in_threadpool(store, event['payment'], event['sequence'])
    # Answer first and work afterwards. Kassa waits 15 seconds for the answer, then sends the event again.
    background_tasks.add_task(work, event['payment']['id'])
    return 'Stored.'


app = FastAPI()
app.include_router(router)

if __name__ == '__main__':
    while True:
        work()
        if '--once' in sys.argv:
            break
        time.sleep(RETRY_SECONDS)
