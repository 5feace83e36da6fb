import os

from kassa import verify_event


def read_event(raw_body, headers):
    """raw_body: the bytes as they came."""
    verified = verify_event(raw_body, headers, os.environ['KASSA_WEBHOOK_SECRET'])
    if not verified.ok:
        raise ValueError(verified.error.message)  # Answer 401.
    return verified.event
