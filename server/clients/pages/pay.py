import os
from kassa import key_of, open_kassa, to_minor

kassa = open_kassa('http://localhost:3000', os.environ['KASSA_TOKEN'])
order = {
    'merchantOrderId': 'python-1',
    'amountMinor': to_minor('19.00', 'USD'),
    'currency': 'USD',
    'returnUrl': 'https://shop.example/thanks',
}
made = kassa.create_payment(order, key=key_of('pay', order['merchantOrderId']))
print(made.value['checkoutUrl'] if made.ok else made.error)
