"""Receives Kassa's events in Python, with its standard library alone.

Copy this file, fill in the two functions below and run it:

    KASSA_WEBHOOK_SECRET=whsec_... PORT=4000 python3 kassa_receiver.py      (Python 3.9 or newer)

Then ask whoever runs your Kassa to send your events to its address, http://127.0.0.1:4000/kassa/callback, and to verify it.

It accepts nothing that is unsigned, changed or stale. It stores an event on disk before it answers 200. It handles each
event once, in the order of its payment. Kassa sends an event again until the answer is 2xx.

In Flask, Django or FastAPI keep everything but the class Receiver. Call take() with the raw body (request.get_data(),
request.body, await request.body()) and the header, and call wake.set() after you have answered.
"""
import hashlib
import hmac
import json
import os
import re
import sqlite3
import sys
import threading
import time
import traceback
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get('KASSA_WEBHOOK_SECRET', '')
PORT = int(os.environ.get('PORT', '4000'))
EVENTS = os.environ.get('KASSA_EVENTS', 'kassa-events.sqlite')
PRICES = os.environ.get('KASSA_PRICES', 'prices.json')

# ------------------------------------------------------------------------------------------------ fill in these two


def find_order(payment):
    """Returns what you ask for this payment, from your own database: {'amountMinor': ..., 'currency': ...}, or None.

    A payment that you created has your order's reference. A payment of the button has the product in its metadata and a
    generated reference. A payment of a subscription has your reference for it, a slash and the number of the period.
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


def on_payment_changed(payment, may_fulfil):
    """Does what your shop does when a payment has a new status.

    may_fulfil: it is paid, with the amount that find_order returned. If this raises, it is called again for the same event
    later. Make it safe to repeat.
    """
    what = f"{payment['merchantOrderId']} {payment.get('metadata', {}).get('productId', '')}".strip()
    status = payment['status']
    if may_fulfil:
        print(f"FULFIL {what}: {payment['amountMinor']} {payment['currency']}", flush=True)
    elif status == 'paid':
        print(f'ASK A PERSON {what}: paid, but not what you asked for', flush=True)
    else:
        print(f'NOTE {what}: {status}', flush=True)


# -------------------------------------------------------------------------------------------------- the rest works

TOLERANCE_SECONDS = 300
BODY_BYTES_MAX = 262_144
RETRY_SECONDS = 60


def database():
    """The stored events. The table can be in your own database instead. The id makes sure that no event is stored twice."""
    return closing(sqlite3.connect(EVENTS, timeout=5, isolation_level=None))


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


def payment_of(event):
    return event.get('payment') or event['data']['payment']


def take(raw_body, header):
    """Stores the event. Returns the status and the text of the answer."""
    refusal = refusal_of(raw_body, header)
    if refusal:
        return 401, refusal
    event = json.loads(raw_body)
    with database() as db:
        db.execute('insert or ignore into kassa_events (id, payment_id, sequence, body) values (?, ?, ?, ?)',
                   (event['id'], payment_of(event)['id'], event.get('sequence', 0), raw_body.decode()))
    return 200, 'Taken.'


wake = threading.Event()


def work_for_ever():
    """Handles every stored event that is not done, one after the other, so that each has its effect once."""
    while True:
        wake.clear()
        with database() as db:
            for event_id, body in db.execute(
                    'select id, body from kassa_events where done = 0 order by payment_id, sequence').fetchall():
                try:
                    work_on(db, json.loads(body))
                    db.execute('update kassa_events set done = 1 where id = ?', (event_id,))
                except Exception:
                    print(f'{event_id} is tried again later:', file=sys.stderr)
                    traceback.print_exc()
        wake.wait(RETRY_SECONDS)


def work_on(db, event):
    payment = payment_of(event)
    # An older event that arrives late must not undo a newer one.
    if db.execute('select 1 from kassa_events where payment_id = ? and sequence > ? and done = 1 limit 1',
                  (payment['id'], event.get('sequence', 0))).fetchone():
        return
    on_payment_changed(payment, payment['status'] == 'paid' and is_as_asked(payment))


def is_as_asked(payment):
    order = find_order(payment) or {}
    return all(order.get(name) == payment[name] for name in ('amountMinor', 'currency'))


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        try:
            length = int(self.headers.get('Content-Length') or 0)
            if not 0 <= length <= BODY_BYTES_MAX:
                return self.answer(413, 'Too large for an event.')
            status, text = take(self.rfile.read(length), self.headers.get('X-SERVICE-Signature', ''))
        except Exception:
            traceback.print_exc()
            status, text = 500, 'The event was not taken. Kassa sends it again.'
        # Answer first and work afterwards. Kassa waits 15 seconds for the answer, then sends the event again.
        self.answer(status, text)
        if status == 200:
            wake.set()

    def answer(self, status, text):
        body = text.encode()
        self.send_response(status)
        self.send_header('Content-Type', 'text/plain')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == '__main__':
    if not SECRET:
        sys.exit('Set KASSA_WEBHOOK_SECRET to the callback secret. Whoever runs your Kassa has it.')
    with database() as db:
        db.execute('create table if not exists kassa_events (id text primary key, payment_id text not null, '
                   'sequence integer not null, body text not null, done integer not null default 0)')
    threading.Thread(target=work_for_ever, daemon=True).start()
    print(f'Taking events at http://127.0.0.1:{PORT}/kassa/callback', flush=True)
    ThreadingHTTPServer(('', PORT), Receiver).serve_forever()
