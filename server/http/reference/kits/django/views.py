"""Receives Kassa's events in Django: the view, file 2 of 3. Save it as kassa/views.py."""
import hashlib
import hmac
import json
import re
import time

from django.conf import settings
from django.db import transaction
from django.http import HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from .models import store

TOLERANCE_SECONDS = 300


def refusal_of(raw_body, header):
    """Returns why this request is not an event of Kassa, or None if it is one."""
    parts = [part.partition('=') for part in header.split(',')]
    t = next((value for name, _, value in parts if name == 't'), '')
    if not re.fullmatch('[0-9]{10}', t):
        return 'There is no X-SERVICE-Signature header with a time in seconds.'
    secret = settings.KASSA_WEBHOOK_SECRET.encode()
    expected = hmac.new(secret, t.encode() + b'.' + raw_body, hashlib.sha256).hexdigest().encode()
    # While a secret is being rotated there are several v1. One that matches is enough.
    given = [value.encode() for name, _, value in parts if name == 'v1']
    if not any(hmac.compare_digest(each, expected) for each in given):
        return 'No signature fits: check the secret, and that the body is read as it came.'
    age = round(time.time() - int(t))
    return f"It was signed {age} s ago: check this machine's clock." if abs(age) > TOLERANCE_SECONDS else None


# Kassa has no CSRF token. The signature proves who sent the request. store() needs no transaction around it, and with
# SQLite an ATOMIC_REQUESTS transaction, which reads before it writes, would fail while another process writes.
@csrf_exempt
@require_POST
@transaction.non_atomic_requests
def callback(request):
    refusal = refusal_of(request.body, request.headers.get('X-SERVICE-Signature', ''))
    if refusal:
        return HttpResponse(refusal, status=401, content_type='text/plain')
    event = json.loads(request.body)
    if event['type'] == 'payment.status_changed':
        # If this raises, Django answers 500, and Kassa sends the event again.
        store(event['payment'], event['sequence'])
    # The worker does the rest. Kassa waits 15 seconds for the answer, then sends the event again.
    return HttpResponse('Stored.', content_type='text/plain')
