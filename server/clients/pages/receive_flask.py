# KASSA_WEBHOOK_SECRET=whsec_... flask --app receive_flask run -p 4000
from flask import Flask, request
from kassa_receiver import Receiver
from orders import find_order

app = Flask(__name__)
receiver = Receiver(find_order)


@app.post('/kassa/callback')
def callback():
    status, text = receiver.take(request.get_data(), request.headers)
    return text, status, {'Content-Type': 'text/plain'}
