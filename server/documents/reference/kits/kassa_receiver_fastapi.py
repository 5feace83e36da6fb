"""Receives Kassa's events in FastAPI. Copy this file and kassa_core.py into one folder, fill in the two functions below and
run this file:

    export KASSA_WEBHOOK_SECRET=whsec_...
    uvicorn kassa_receiver_fastapi:app --port 4000 --workers 2
    python3 kassa_receiver_fastapi.py                    (a second program: it tries again what failed)

Keep both running under systemd or supervisor. Without a second program, let cron run
`python3 kassa_receiver_fastapi.py --once` every minute. In an app of your own, write `app.include_router(router)`.

Then ask whoever runs your Kassa to send your events to http://127.0.0.1:4000/kassa/callback and to verify that address.
"""
import sys

from fastapi import APIRouter, BackgroundTasks, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse

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
router = APIRouter()


@router.post('/kassa/callback')
async def callback(request: Request, background_tasks: BackgroundTasks):
    # The signature covers the raw bytes, so the endpoint declares no model for the body.
    raw_body = b''
    async for chunk in request.stream():
        raw_body += chunk
        if len(raw_body) > BODY_BYTES_MAX:
            return PlainTextResponse('The body is too large for an event.', 413)
    # If this raises, FastAPI answers 500, and Kassa sends the event again.
    status, text, payment_id = await run_in_threadpool(
        kassa.take, raw_body, request.headers.get('X-SERVICE-Signature'))
    if payment_id:
        # Answer first and work afterwards. Kassa waits 15 seconds for the answer, then sends the event again.
        background_tasks.add_task(kassa.work, payment_id)
    return PlainTextResponse(text, status)


app = FastAPI()
app.include_router(router)

if __name__ == '__main__':
    kassa.work() if '--once' in sys.argv else kassa.work_for_ever()
