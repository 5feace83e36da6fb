"""What you ask for a payment."""
import json
import os


def find_order(payment):
    """Returns what you ask for this payment: {'amountMinor': ..., 'currency': ...}, or None.

    A payment that you created has your order's reference. A payment of the button has the product in its metadata and a generated
    reference. A payment of a subscription has your reference for it, a slash and the number of the period.
    """
    # Only to try it out, with the file prices.json: {"orders": {"order-1": {"amountMinor": 1900, "currency": "USD"}}, "products":
    # {"tea": {"amountMinor": 190000, "currency": "AMD"}}, "subscriptions": {"box-1": ...}}. Ask your own database instead.
    if not os.path.exists('prices.json'):
        return None
    with open('prices.json', encoding='utf-8') as file:
        prices = json.load(file)
    metadata, reference = payment.get('metadata', {}), payment['merchantOrderId']
    if metadata.get('source') == 'widget':
        return prices.get('products', {}).get(metadata['productId'])
    if metadata.get('source') == 'subscription':
        return prices.get('subscriptions', {}).get(reference.rpartition('/')[0])
    return prices.get('orders', {}).get(reference)
