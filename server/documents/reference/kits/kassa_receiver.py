"""Receives Kassa's events in Python, with its standard library alone.

Copy this file and kassa_core.py into one folder, fill in the two functions below and run this file:

    KASSA_WEBHOOK_SECRET=whsec_... PORT=4000 python3 kassa_receiver.py      (Python 3.9 or newer)

Then ask whoever runs your Kassa to send your events to http://127.0.0.1:4000/kassa/callback and to verify that address.
Flask, Django and FastAPI have kits of their own.
"""
import os
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from kassa_core import BODY_BYTES_MAX, SqliteKassa, price_from_file

PORT = int(os.environ.get('PORT', '4000'))

# ------------------------------------------------------------------------------------------------ fill in these two


def find_order(payment):
    """Returns what you ask for this payment, from your own database: {'amountMinor': ..., 'currency': ...}, or None.

    A payment that you created has your order's reference. A payment of the button has the product in its metadata and
    a generated reference. A payment of a subscription has your reference for it, a slash and the number of the period. If
    this function raises, the payment waits and is tried again.
    """
    return price_from_file(payment)  # Only to try it out: kassa_core.py reads prices.json.


def add_task(db, task, payment, sequence, why):
    """Writes down what your shop has to do: DELIVER, ASK A PERSON or NOTE.

    It runs inside the transaction that decides the order, so it must write to the same database. If it raises, nothing
    of the transaction stays, and the payment is tried again. Send mail and call other systems from a job that works
    through these rows.
    """
    db.execute('insert into kassa_tasks (payment_id, sequence, order_id, task, why) values (?, ?, ?, ?, ?)',
               (payment['id'], sequence, payment['merchantOrderId'], task, why))


# -------------------------------------------------------------------------------------------------- the rest works

kassa = SqliteKassa(find_order, add_task)


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        payment_id = None
        try:
            length = int(self.headers.get('Content-Length') or 0)
            if not 0 <= length <= BODY_BYTES_MAX:
                return self.answer(413, 'The body is too large for an event.')
            status, text, payment_id = kassa.take(self.rfile.read(length), self.headers.get('X-SERVICE-Signature'))
        except Exception:
            traceback.print_exc()
            status, text = 500, 'The event was not stored. Kassa sends it again.'
        # Answer first and work afterwards. Kassa waits 15 seconds for the answer, then sends the event again.
        self.answer(status, text)
        if payment_id:
            kassa.work(payment_id)

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
    threading.Thread(target=kassa.work_for_ever, daemon=True).start()
    print(f'Receiving events at http://127.0.0.1:{PORT}/kassa/callback', flush=True)
    ThreadingHTTPServer(('', PORT), Receiver).serve_forever()
