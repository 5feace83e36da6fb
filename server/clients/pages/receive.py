# KASSA_WEBHOOK_SECRET=whsec_... PORT=4000 python3 receive.py
# In a container: HOST=0.0.0.0 too.
import os

from kassa_receiver import Receiver
from orders import find_order

Receiver(find_order).serve(os.environ['PORT'], os.environ.get('HOST', '127.0.0.1'))
