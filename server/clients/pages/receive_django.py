# Beside manage.py. In urls.py: path('kassa/callback', receive_django.callback)
from django.http import HttpResponse
from django.views.decorators.csrf import csrf_exempt
from kassa_receiver import Receiver
from orders import find_order

receiver = Receiver(find_order)


@csrf_exempt  # The signature proves who sent the request.
def callback(request):
    status, text = receiver.take(request.body, request.headers)
    return HttpResponse(text, status=status, content_type='text/plain')
