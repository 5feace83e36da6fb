"""Receives Kassa's events in Flask 2.2 or newer. Copy this file and kassa_core.py into one folder, fill in the two functions
below and run this file:

    export KASSA_WEBHOOK_SECRET=whsec_...
    flask --app kassa_receiver_flask run -p 4000         (or: gunicorn -w 2 -b 127.0.0.1:4000 kassa_receiver_flask:app)
    flask --app kassa_receiver_flask kassa-work          (a second program: it tries again what failed)

Keep both running under systemd or supervisor. Without a second program, let cron run `kassa-work --once` every minute.
In an app of your own, write `app.register_blueprint(blueprint)`.

Then ask whoever runs your Kassa to send your events to http://127.0.0.1:4000/kassa/callback and to verify that address.
"""
import click
from flask import Blueprint, Flask, make_response, request

from kassa_core import BODY_BYTES_MAX, SqliteKassa, price_from_file

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
blueprint = Blueprint('kassa', __name__, cli_group=None)


@blueprint.post('/kassa/callback')
def callback():
    if (request.content_length or 0) > BODY_BYTES_MAX:
        return 'The body is too large for an event.', 413
    # If this raises, Flask answers 500, and Kassa sends the event again.
    status, text, payment_id = kassa.take(request.get_data(), request.headers.get('X-SERVICE-Signature'))
    response = make_response(text, status, {'Content-Type': 'text/plain'})
    if payment_id:
        # Answer first and work afterwards. Kassa waits 15 seconds for the answer, then sends the event again.
        response.call_on_close(lambda: kassa.work(payment_id))
    return response


@blueprint.cli.command('kassa-work')
@click.option('--once', is_flag=True, help='Run once, for cron.')
def kassa_work(once):
    """Handles the payments that a crash or an error has left over, again and again."""
    kassa.work() if once else kassa.work_for_ever()


app = Flask(__name__)
app.register_blueprint(blueprint)
