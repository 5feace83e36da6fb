"""Kassa's events in Django 3.2 or newer: what is stored, and what follows from it. This is file 1 of 3.

    python3 manage.py startapp kassa        add 'kassa' to INSTALLED_APPS, and KASSA_WEBHOOK_SECRET = 'whsec_...' to settings
    kassa/models.py                         this file; fill in the two functions below
    kassa/views.py                          the view; in urls.py: path('kassa/callback', kassa.views.callback)
    kassa/management/commands/kassa_work.py the worker
    python3 manage.py makemigrations kassa && python3 manage.py migrate
    python3 manage.py kassa_work            keep it running beside the web server, or let cron run it with --once

Then ask whoever runs your Kassa to send your events to https://your-shop.example/kassa/callback and to verify that address.

The view stores each event before it answers 200. The worker decides each order once, in one transaction, also if several
workers run, if one is killed, or if the same event comes twice. It uses Django's models and your own database.
"""
import json
import logging

from django.conf import settings
from django.db import models, transaction

logger = logging.getLogger('kassa')

# ------------------------------------------------------------------------------------------------ fill in these two


def find_order(payment):
    """Returns what you ask for this payment, from your own database: {'amountMinor': ..., 'currency': ...}, or None.

    A payment that you created has your order's reference. A payment of the button has the product in its metadata and
    a generated reference. A payment of a subscription has your reference for it, a slash and the number of the period. If
    this function raises, the payment waits and is tried again.
    """
    # To try it out: {"orders": {"order-1": {"amountMinor": 1900, "currency": "USD"}},
    # "products": {"tea": {"amountMinor": 190000, "currency": "AMD"}}, "subscriptions": {"box-1": ...}}
    path = settings.BASE_DIR / 'prices.json'
    prices = json.loads(path.read_text(encoding='utf-8')) if path.exists() else {}
    metadata, reference = payment.get('metadata', {}), payment['merchantOrderId']
    if metadata.get('source') == 'widget':
        return prices.get('products', {}).get(metadata['productId'])
    if metadata.get('source') == 'subscription':
        return prices.get('subscriptions', {}).get(reference.rpartition('/')[0])
    return prices.get('orders', {}).get(reference)


def add_task(task, payment, sequence, why):
    """Writes down what your shop has to do: DELIVER, ASK A PERSON or NOTE.

    It runs inside the transaction that decides the order, so it must write to the same database. If it raises, nothing
    of the transaction stays, and the payment is tried again. Send mail and call other systems from a job that works
    through these rows.
    """
    Task.objects.create(
        payment_id=payment['id'], sequence=sequence, order_id=payment['merchantOrderId'], task=task, why=why)


# -------------------------------------------------------------------------------------------------- the rest works


TAKEN_BACK = ('partially_refunded', 'refunded', 'reversed', 'disputed')


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
        task, why = decide(payment, asked or {}, news.taken_back)
        add_task(task, payment, news.sequence, why)
    logger.info('%s %s: %s', task, payment['merchantOrderId'], why)


def decide(payment, asked, taken_back):
    """Returns the task and its reason. The first payment that brings money for an order decides the order."""
    status = payment['status']
    if status not in ('paid', 'partially_refunded'):
        return 'NOTE', status
    doubt = doubt_of(payment, asked, taken_back)
    task = 'ASK A PERSON' if doubt else 'DELIVER'
    order, is_new = Order.objects.get_or_create(
        order_id=payment['merchantOrderId'], defaults={'payment_id': payment['id'], 'task': task})
    if is_new:
        product = payment.get('metadata', {}).get('productId')
        sold = f"paid {payment['amountMinor']} {payment['currency']}" + (f' for {product}' if product else '')
        return task, doubt or sold
    if order.payment_id == payment['id']:
        return 'NOTE', status
    return 'ASK A PERSON', f'{status}, but {order.payment_id} paid the same order'


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
