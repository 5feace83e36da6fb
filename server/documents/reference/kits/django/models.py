"""Kassa's events in Django 3.2 or newer: what is stored, and what follows from it. This is file 1 of 4.

    python3 manage.py startapp kassa        add 'kassa' to INSTALLED_APPS, and KASSA_WEBHOOK_SECRET = 'whsec_...' to settings
    kassa/models.py                         this file; fill in the two functions below
    kassa/kassa_core.py                     the core of all kits for Python
    kassa/views.py                          the view; in urls.py: path('kassa/callback', kassa.views.callback)
    kassa/management/commands/kassa_work.py the worker
    python3 manage.py makemigrations kassa && python3 manage.py migrate
    python3 manage.py kassa_work            keep it running beside the web server, or let cron run it with --once

Then ask whoever runs your Kassa to send your events to https://your-shop.example/kassa/callback and to verify that address.

It uses Django's models and your own database. The view stores each event before it answers 200. The worker decides each
order once, in one transaction, also if several workers run, if one is killed, or if the same event comes twice.
"""
import logging

from django.conf import settings
from django.db import models, transaction

from .kassa_core import TAKEN_BACK, decide, price_from_file

logger = logging.getLogger('kassa')

# ------------------------------------------------------------------------------------------------ fill in these two


def find_order(payment):
    """Returns what you ask for this payment, from your own database: {'amountMinor': ..., 'currency': ...}, or None.

    A payment that you created has your order's reference. A payment of the button has the product in its metadata and
    a generated reference. A payment of a subscription has your reference for it, a slash and the number of the period. If
    this function raises, the payment waits and is tried again.
    """
    # Only to try it out: kassa_core.py reads prices.json.
    return price_from_file(payment, settings.BASE_DIR / 'prices.json')


def add_task(task, payment, sequence, why):
    """Writes down what your shop has to do: DELIVER, ASK A PERSON or NOTE.

    It runs inside the transaction that decides the order, so it must write to the same database. If it raises, nothing
    of the transaction stays, and the payment is tried again. Send mail and call other systems from a job that works
    through these rows.
    """
    Task.objects.create(
        payment_id=payment['id'], sequence=sequence, order_id=payment['merchantOrderId'], task=task, why=why)


# -------------------------------------------------------------------------------------------------- the rest works


class Payment(models.Model):
    """The newest state of each payment.

    `pending`: the shop has not handled this state yet. `taken_back`: the payment was ever refunded, reversed or
    disputed. A refund can fail after it succeeded, and the payment is then paid again.
    """
    id = models.CharField(max_length=60, primary_key=True)
    sequence = models.PositiveIntegerField()
    payment = models.JSONField()
    pending = models.BooleanField(default=True, db_index=True)
    taken_back = models.BooleanField()


class Order(models.Model):
    """The orders that are decided. The primary key makes sure that each is decided once."""
    order_id = models.CharField(max_length=160, primary_key=True)
    payment_id = models.CharField(max_length=60)
    task = models.CharField(max_length=20)


class Task(models.Model):
    """What your shop has to do."""
    payment_id = models.CharField(max_length=60)
    sequence = models.PositiveIntegerField()
    order_id = models.CharField(max_length=160)
    task = models.CharField(max_length=20)
    why = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    done_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=['payment_id', 'sequence'], name='kassa_task_once')]


def store(payment, sequence):
    """Keeps the newest state of each payment. An event that comes twice or late has no higher sequence and changes no state."""
    taken_back = payment['status'] in TAKEN_BACK
    Payment.objects.get_or_create(
        id=payment['id'], defaults={'sequence': sequence, 'payment': payment, 'taken_back': taken_back})
    if taken_back:
        Payment.objects.filter(id=payment['id']).update(taken_back=True)
    Payment.objects.filter(id=payment['id'], sequence__lt=sequence).update(
        sequence=sequence, payment=payment, pending=True)


def work():
    """Handles every payment that is pending. One that fails stays pending and does not stop the others."""
    for payment_id in list(Payment.objects.filter(pending=True).values_list('id', flat=True)):
        try:
            handle(payment_id)
        except Exception:
            logger.exception('%s is tried again later', payment_id)


def handle(payment_id):
    news = Payment.objects.filter(id=payment_id, pending=True).first()
    if not news:
        return
    payment = news.payment
    asked = find_order(payment)
    with transaction.atomic():
        # No row changes if another worker was faster, or if another event has come, which is then handled by itself.
        if not Payment.objects.filter(
                id=news.id, sequence=news.sequence, taken_back=news.taken_back, pending=True).update(pending=False):
            return
        task, why = decide(payment, asked, news.taken_back, claim)
        add_task(task, payment, news.sequence, why)
    logger.info('%s %s: %s', task, payment['merchantOrderId'], why)


def claim(order_id, payment_id, task):
    """Stores which payment decided the order. If one is stored already, returns its id."""
    order, is_new = Order.objects.get_or_create(
        order_id=order_id, defaults={'payment_id': payment_id, 'task': task})
    return None if is_new else order.payment_id
