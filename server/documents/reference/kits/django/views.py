"""Receives Kassa's events in Django: the view, file 3 of 4. Save it as kassa/views.py."""
from django.conf import settings
from django.db import transaction
from django.http import HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from .kassa_core import take
from .models import store


# Kassa has no CSRF token. The signature proves who sent the request. store() needs no transaction around it, and with
# SQLite an ATOMIC_REQUESTS transaction, which reads before it writes, would fail while another process writes.
@csrf_exempt
@require_POST
@transaction.non_atomic_requests
def callback(request):
    # If this raises, Django answers 500, and Kassa sends the event again.
    status, text, _ = take(
        settings.KASSA_WEBHOOK_SECRET, request.body, request.headers.get('X-SERVICE-Signature', ''), store)
    # The worker does the rest. Kassa waits 15 seconds for the answer, then sends the event again.
    return HttpResponse(text, status=status, content_type='text/plain')
