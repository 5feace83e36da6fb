# KASSA_WEBHOOK_SECRET=whsec_... PORT=4000 python3 receive.py
import os

from kassa_receiver import Receiver
from orders import find_order

Receiver(find_order).serve(os.environ['PORT'])
