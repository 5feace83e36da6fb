"""The client of Kassa for Python 3.9 or newer. Copy this file into your project. It needs the standard library alone, and
nothing happens when it is imported.

    from kassa import key_of, open_kassa
    kassa = open_kassa('https://pay.example', os.environ['MERCHANT_API_TOKEN'])
    made = kassa.create_payment({'merchantOrderId': ..., 'amountMinor': 1900, 'currency': 'USD', 'returnUrl': ...},
                                key=key_of('pay', order_id))
    if made.ok:
        redirect(made.value['checkoutUrl'])
    else:
        print(made.error.code, made.error.message, made.error.what_to_do)
"""
import base64
import hashlib
import hmac
import http.client
import json
import random
import re
import socket
import ssl
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import Any, Dict, Optional
from urllib.parse import quote, urlsplit

# ------------------------------------------------------------------------------------------------------------- amounts

# Digits behind the decimal point. Take `currencyDigits` of `capabilities()` for currencies that were added later.
CURRENCY_DIGITS = {'AMD': 2, 'USD': 2, 'EUR': 2}
WHOLE_IN_LINKS = ('AMD',)
AMOUNT_MINOR_MAX = 1_000_000_000_000


def _digits_of(currency, digits):
    if currency not in digits:
        raise ValueError(f'{currency} is not in the table of currencies, which has {", ".join(digits)}. '
                         'Give `currencyDigits` of `capabilities()` for others.')
    return digits[currency]


def to_minor(text, currency, digits=CURRENCY_DIGITS):
    """Returns minor units: `to_minor('19.00', 'USD')` is 1900. Takes text alone, because a float is not exact.

    Refuses what is not exact.
    """
    places = _digits_of(currency, digits)
    if not isinstance(text, str):
        raise TypeError('Give the amount as text, such as "19.00": a number is not exact.')
    found = re.fullmatch(r'([0-9]{1,40})(?:\.([0-9]+))?', text)
    if not found:
        raise ValueError(f'"{text}" is no amount: write plain digits, such as 15 or 15.00.')
    fraction = found[2] or ''
    if len(fraction) > places:
        raise ValueError(f'{currency} takes at most {places} decimals.')
    minor = int(found[1] + fraction.ljust(places, '0'))
    if not 1 <= minor <= AMOUNT_MINOR_MAX:
        raise ValueError(f'{text} {currency} is not between the smallest and the largest amount.')
    return minor


def to_major(minor, currency, digits=CURRENCY_DIGITS):
    """Returns the amount in major units with all its decimals: `to_major(1900, 'USD')` is '19.00'."""
    places = _digits_of(currency, digits)
    if type(minor) is not int or not 0 <= minor <= AMOUNT_MINOR_MAX:
        raise ValueError(f'{minor} is no amount in minor units.')
    text = str(minor).rjust(places + 1, '0')
    return text if places == 0 else f'{text[:-places]}.{text[-places:]}'


def link_amount(minor, currency, digits=CURRENCY_DIGITS):
    """Returns the `amount` of a payment link for these minor units. A link in AMD takes whole drams only."""
    text = to_major(minor, currency, digits)
    if currency in WHOLE_IN_LINKS and not re.fullmatch(r'[0-9]+(\.0+)?', text):
        raise ValueError(f'A payment link in {currency} takes whole amounts only, not {text}.')
    return text


# ---------------------------------------------------------------------------------------------------- what a shop does

# What a shop does about a payment in each status.
STATUS_MAP = {
    'created': 'wait',
    'pending_redirect': 'wait',
    'pending_payment': 'wait',
    'authorized': 'wait',
    'paid': 'deliver',
    'failed': 'close',
    'cancelled': 'close',
    'expired': 'close',
    'reversed': 'take_back',
    'partially_refunded': 'take_back',
    'refunded': 'take_back',
    'disputed': 'take_back',
    'status_unknown': 'hold',
}


def act_of(status):
    """Returns what a shop does.

    `wait`: do not deliver, wait for an event. `deliver`: deliver once, if `doubt_of` finds nothing. `close`: nothing was paid,
    show it or create a new payment. `take_back`: money went back or is disputed. `hold`: neither deliver nor cancel, a person
    decides. A status that a later version adds is held.
    """
    return STATUS_MAP.get(status, 'hold')


def doubt_of(payment, asked, was_taken_back=False):
    """Returns why a person must look before this payment's order is delivered, or None.

    `asked`: what your shop asks for the order, `amountMinor` and `currency`, and its `merchantOrderId` if you created the
    payment. `was_taken_back`: an earlier event of the payment had an act `take_back`.
    """
    status, amount, asked = payment['status'], payment['amountMinor'], asked or {}
    captured = payment.get('capturedMinor', amount)
    if status == 'partially_refunded':
        return 'a part was refunded before the order was delivered'
    if act_of(status) != 'deliver':
        return f'the payment is {status}'
    if was_taken_back:
        return 'paid, but refunded, reversed or disputed before the order was delivered'
    if asked.get('amountMinor') != amount or asked.get('currency') != payment['currency']:
        return 'paid, but not what you asked for'
    if (asked.get('merchantOrderId') or payment['merchantOrderId']) != payment['merchantOrderId']:
        return 'paid, but for another order'
    return None if captured == amount else f'only {captured} of {amount} was captured'


# ---------------------------------------------------------------------------------------------------------------- keys


def key_of(*parts):
    """Returns an idempotency key that is the same for the same wish, also after a restart: `key_of('refund', order_id, refund_id)`.

    Another wish needs another part, such as the number of the attempt. A key of your own is just as good.
    """
    texts = [str(part) if type(part) is int else part for part in parts]
    if not texts or any(not isinstance(text, str) or text == '' for text in texts):
        raise TypeError('Each part of a key is a text that is not empty, or a whole number.')
    joined = ','.join(f'{len(text.encode())}:{text}' for text in texts)
    return 'kassa-' + hashlib.sha256(joined.encode()).hexdigest()[:40]


# -------------------------------------------------------------------------------------------------------------- events


class _ByName:
    """`error['code']` is `error.code`, as in the other languages."""

    def __getitem__(self, name):
        try:
            return getattr(self, name)
        except (AttributeError, TypeError):
            raise KeyError(name) from None


@dataclass(frozen=True)
class Verified(_ByName):
    """`event` if `ok`. Otherwise `error`, as that of a call: answer its `status`, which is 401."""
    ok: bool
    event: Optional[dict] = None
    error: Optional['KassaError'] = None


EVENT_ADVICE = {
    'no_signature': 'Give all headers of the request. Requests that are not from Kassa have no such header.',
    'wrong_signature': 'Compare the secret with the one of your Kassa, and read the body before any other code parses it.',
    'stale': 'Set the clock of this machine. A request that was kept and is sent again later is refused too.',
    'not_an_event': 'Ask whoever runs your Kassa what it sends here.',
}
# A receiver answers it to what it does not take.
REFUSED = 401


def _refused(code, message):
    return Verified(False, error=error_of(REFUSED, {'error': {'code': code, 'message': message, 'hint': EVENT_ADVICE[code]}}))


def verify_event(raw_body, headers, secrets, tolerance_seconds=300, now=None):
    """Checks an event and reads it. `raw_body`: the bytes as they came. `headers`: all headers. `secrets`: one or several."""
    body, keys, signed = _bytes_of(raw_body), _keys_of(secrets), _signatures_of(headers)
    if signed is None:
        return _refused('no_signature', 'There is no X-SERVICE-Signature header with a time in seconds.')
    t, given, digest = signed
    # Every secret is compared with every signature: there are several of both while a secret is being rotated.
    expected = [each for each in (digest(key, body) for key in keys) if each is not None]
    fits = [hmac.compare_digest(one, other) for one in expected for other in given]
    if not any(fits):
        return _refused('wrong_signature', 'No signature fits: check the secret, and that the body is read as it came.')
    age = round((time.time() if now is None else now) - int(t))
    if abs(age) > tolerance_seconds:
        return _refused('stale', 'It was signed ' + (f'{-age} s in the future.' if age < 0 else f'{age} s ago.'))
    event = _parse(body)
    if not event or not _is_object(event.get('payment')):
        return _refused('not_an_event', 'The body is no event of Kassa.')
    return Verified(True, event=event)


def sign_event(event, secrets, now=None):
    """Returns the body and the headers of a request that `verify_event` accepts, for the tests of your receiver."""
    body = event if isinstance(event, str) else json.dumps(event)
    event_id = (_parse(body.encode()) or {}).get('id') or 'evt_test'
    t = str(int(time.time() if now is None else now))
    keys = _keys_of(secrets)
    own = [_digest(key.encode(), f'{t}.{body}'.encode()).hex() for key in keys]
    standard_keys = [key for key in map(_standard_key, keys) if key is not None]
    standard = [_base64(_digest(key, f'{event_id}.{t}.{body}'.encode())) for key in standard_keys]
    return {'body': body, 'headers': {
        'content-type': 'application/json',
        'x-service-signature': ','.join([f't={t}'] + [f'v1={each}' for each in own]),
        'webhook-id': event_id,
        'webhook-timestamp': t,
        'webhook-signature': ' '.join(f'v1,{each}' for each in standard),
    }}


def _keys_of(secrets):
    several = [secrets] if isinstance(secrets, str) else list(secrets or [])
    keys = [key for key in ((each or '').strip() for each in several) if key not in ('', 'whsec_')]
    if not keys:
        raise TypeError('There is no webhook secret. Whoever runs your Kassa has it.')
    return keys


def _bytes_of(raw_body):
    if isinstance(raw_body, (bytes, bytearray, memoryview)):
        return bytes(raw_body)
    if isinstance(raw_body, str):
        return raw_body.encode()
    if raw_body is None:
        return b''
    raise TypeError('The body was parsed already: give its raw bytes.')


def _digest(key, text):
    return hmac.new(key, text, hashlib.sha256).digest()


def _base64(digest):
    return base64.b64encode(digest).decode()


# More are not read: there are as many as there are live secrets.
SIGNATURES_MAX = 10
KEY_BYTES_MIN = 16


def _standard_key(secret):
    """Returns the key of Standard Webhooks, or None: anybody can sign with what an incomplete secret leaves."""
    found = re.fullmatch('(?:whsec_)?([A-Za-z0-9+/]+)={0,2}', secret)
    text = found[1] if found else ''
    if len(text) % 4 == 1:
        return None
    key = base64.b64decode(text + '=' * (-len(text) % 4))
    return key if len(key) >= KEY_BYTES_MIN else None


def _signatures_of(headers):
    """Returns the time, the given digests as text, and how a digest is made.

    They are those of the contract's header, else of Standard Webhooks.
    """
    own = _header_of(headers, 'x-service-signature')
    if own:
        parts = [part.split('=') for part in own.split(',')]
        t = next((part[1] for part in parts if part[0] == 't' and len(part) > 1), '')
        given = [part[1] for part in parts if part[0] == 'v1' and len(part) > 1 and re.fullmatch('[0-9a-f]{64}', part[1])]
        if not re.fullmatch('[0-9]{10}', t):
            return None
        return t, given[:SIGNATURES_MAX], lambda key, body: _digest(key.encode(), t.encode() + b'.' + body).hex()
    event_id, t = _header_of(headers, 'webhook-id'), _header_of(headers, 'webhook-timestamp')
    parts = [re.fullmatch('v1,([A-Za-z0-9+/]{43}=)', part) for part in _header_of(headers, 'webhook-signature').split(' ')]
    given = [part[1] for part in parts if part]
    if not event_id or not re.fullmatch('[0-9]{10}', t):
        return None

    def digest(secret, body):
        key = _standard_key(secret)
        return None if key is None else _base64(_digest(key, f'{event_id}.{t}.'.encode() + body))

    return t, given[:SIGNATURES_MAX], digest


def _header_of(headers, name):
    """Reads `X-Name`, and also `HTTP_X_NAME` of WSGI and of Django's `request.META`."""
    plain = ((each.lower().replace('_', '-'), value) for each, value in dict(headers or {}).items())
    return next((str(value) for each, value in plain if each in (name, f'http-{name}')), '')


def _is_object(value):
    """Something is in it, as in every event and every answer of Kassa."""
    return isinstance(value, dict) and value != {}


def _no_constant(name):
    raise ValueError(f'{name} is not JSON.')


DEPTH_MAX = 64


def _check_plain(value, depth=1):
    """Half of a surrogate pair and deep nesting are in no text of Kassa, and not every language can read them."""
    if isinstance(value, str):
        value.encode('utf-8')
    elif isinstance(value, (dict, list)):
        if depth > DEPTH_MAX:
            raise ValueError('This is nested too deeply.')
        for key in value if isinstance(value, dict) else ():
            key.encode('utf-8')
        for each in value.values() if isinstance(value, dict) else value:
            _check_plain(each, depth + 1)


def _parse(body):
    """Returns the object that these bytes are as JSON, or None."""
    try:
        value = json.loads(body.decode('utf-8'), parse_constant=_no_constant)
        _check_plain(value)
    except (ValueError, RecursionError):
        return None
    return value if _is_object(value) else None


# --------------------------------------------------------------------------------------------------------------- calls

# What to do about an answer that has no hint of its own.
ADVICE = {
    0: 'Send the same request again with the same key. It may have been carried out.',
    200: 'Check the address and its port: what answers there may not be Kassa. If it is, send the same request again with the same key. '
         'It may have been carried out.',
    400: 'Check the address and its port: what answers there may not be Kassa.',
    401: 'Do not retry. Check the token.',
    403: 'Do not retry. Check what the token may do, and from where.',
    404: 'Check the id and the address.',
    409: 'Look the payment up. Its state does not allow this, or the route does not offer it.',
    422: 'Correct the request. `fields` names each wrong field.',
    429: 'Wait, then send the same request again.',
    500: 'Send the same request again later with the same key.',
    501: 'Ask whoever runs your payment service.',
    503: 'Send the same request again later with the same key.',
}
PASSING = (0, 408, 429, 500, 502, 503, 504)

# What to check if Kassa was not reached.
UNREACHED = {
    'away': 'Check the address and its port, that Kassa runs, and that this machine may connect to it.',
    'unknown': 'Check the address: nobody knows a machine of this name.',
    'insecure': 'Check the address, its port, its certificate and the clock of this machine: no secure connection to it can be made.',
    'proxy': 'Check the proxy of this machine (https_proxy), and no_proxy: it did not connect to the address.',
}
# OpenSSL's words for a port that does not speak TLS.
NO_TLS = ('WRONG_VERSION_NUMBER', 'PACKET_LENGTH_TOO_LONG', 'RECORD_LAYER_FAILURE', 'HTTP_REQUEST')


@dataclass(frozen=True)
class KassaError(_ByName):
    """Decide by `code`.

    `status` is the one of HTTP. 0: no answer came. With the code `not_reached` nothing was sent; with `no_answer` the request may
    have been carried out. Of an event that is refused: what your receiver answers.
    """
    code: str
    status: int
    message: str
    what_to_do: str
    retryable: bool
    request_id: Optional[str] = None
    fields: Dict[str, str] = field(default_factory=dict)
    operation: Optional[dict] = None
    refunded_minor: Optional[int] = None
    pending_refund_minor: Optional[int] = None
    retry_after_seconds: Optional[int] = None


@dataclass(frozen=True)
class Result(_ByName):
    """`value` is the body of the answer if `ok`. Otherwise `error` says what went wrong and what to do."""
    ok: bool
    value: Any = None
    error: Optional[KassaError] = None
    replayed: bool = False


def error_of(status, body=None, retry_after=None):
    """Returns the error of an answer as a value. A proxy may answer in Kassa's place, so a field counts only in its type."""
    body = body if isinstance(body, dict) else {}
    error = body['error'] if isinstance(body.get('error'), dict) else {}
    fields = body['errors'] if isinstance(body.get('errors'), dict) else {}
    wrong = 422 if isinstance(error.get('code'), str) and error['code'] else 400
    fallback = 500 if status >= 500 else wrong if status >= 400 else 404 if status >= 300 else 200 if status > 0 else 0

    def take(name, kind, otherwise=None):
        value = error.get(name)
        return value if type(value) is kind and value not in ('', {}) else otherwise

    silence = 'Kassa did not answer.' if status == 0 else f'Kassa answered {status} without an error that can be read.'
    return KassaError(
        code=take('code', str, 'no_answer' if status == 0 else 'unexpected_answer'),
        status=status,
        message=take('message', str, silence),
        what_to_do=take('hint', str, ADVICE.get(status) or ADVICE[fallback]),
        # A result that was cut off on the way is like none.
        retryable=take('retryable', bool, status in PASSING or fallback == 200),
        request_id=take('requestId', str),
        fields={name: sentence for name, sentence in fields.items() if isinstance(sentence, str) and sentence},
        operation=take('operation', dict),
        refunded_minor=take('refundedMinor', int),
        pending_refund_minor=take('pendingRefundMinor', int),
        retry_after_seconds=int(retry_after)
        if isinstance(retry_after, str) and re.fullmatch('[0-9]{1,6}', retry_after) else None,
    )


def _unreached_by(cause):
    """Returns why nothing was sent, as a key of `UNREACHED`, or None if something may have been."""
    cause = getattr(cause, 'reason', cause)
    if isinstance(cause, socket.gaierror):
        return 'unknown'
    if isinstance(cause, ConnectionRefusedError):
        return 'away'
    if isinstance(cause, OSError) and str(cause).startswith('Tunnel connection failed'):
        return 'proxy'
    is_insecure = isinstance(cause, ssl.SSLCertVerificationError) or (isinstance(cause, ssl.SSLError) and cause.reason in NO_TLS)
    return 'insecure' if is_insecure else None


# What a `send` of one's own raises if it is wrong in itself.
_MISTAKES = (TypeError, AttributeError, NameError, ImportError)
OWN_SEND = 'Mend `send`, which has failed by itself. The request may have been carried out.'


def _goes_through_proxy(base):
    address = urlsplit(base)
    has_proxy = address.scheme == 'https' and 'https' in urllib.request.getproxies()
    return has_proxy and not urllib.request.proxy_bypass(address.hostname)


def _silence_of(cause, was_sent, base):
    """Returns the error for a call that got no answer. `was_sent`: an earlier try of it may have been carried out."""
    kind = None if was_sent else _unreached_by(cause)
    if kind in ('away', 'unknown') and _goes_through_proxy(base):
        kind = 'proxy'
    if kind:
        message = f'Kassa was not reached, and nothing was sent. ({cause})'
        return error_of(0, {'error': {'code': 'not_reached', 'message': message, 'hint': UNREACHED[kind]}})
    # A connection that breaks off is a bad line too for this library.
    is_no_http = isinstance(cause, http.client.BadStatusLine) and not isinstance(cause, ConnectionError)
    hint = OWN_SEND if isinstance(cause, _MISTAKES) else ADVICE[200] if is_no_http else ADVICE[0]
    return error_of(0, {'error': {'message': f'Kassa did not answer. ({str(cause).strip()})', 'hint': hint}})


def _address_of(url):
    try:
        parsed = urlsplit(url.strip())
        host, port = parsed.hostname, parsed.port
    except (ValueError, AttributeError):
        host = port = None
    is_right = host and (parsed.scheme == 'https' or (parsed.scheme == 'http' and host in ('localhost', '127.0.0.1', '::1')))
    if not is_right or parsed.username or parsed.query or parsed.fragment or parsed.path not in ('', '/'):
        # No log should have what somebody has put there by mistake.
        end = ' and without any secret' if re.search('ksk_|whsec_|@', str(url)) else f': not "{url}"'
        raise TypeError(f'The address of Kassa is https://HOST, or http on this machine, without a path{end}.')
    return f'{parsed.scheme}://{parsed.netloc}'


def _id_of(value):
    if not isinstance(value, str) or value == '':
        raise TypeError('The id is missing.')
    return quote(value, safe='')


def _need_key(key):
    if not isinstance(key, str) or not re.fullmatch(r'[\x20-\x7e]{1,160}', key):
        raise TypeError("This call needs a key of 1 to 160 printable characters, such as key_of('refund', order_id, refund_id).")
    return key


def _need_minor(minor):
    if type(minor) is not int or minor < 0:
        raise TypeError('`if_refunded_minor` is a whole number of minor units. Leave it out if it does not matter.')
    return str(minor)


# A key that is None is missing by mistake. Who wants no key gives none.
_LEFT_OUT: Any = object()


class _StayHere(urllib.request.HTTPRedirectHandler):
    """The token must not follow a redirect to another host."""

    def redirect_request(self, *_):
        return None


def send_with_urllib(method, url, headers, body, timeout):
    """Returns the status, the headers and the body of the answer. Raises OSError if none came."""
    request = urllib.request.Request(url, data=body, headers=headers, method=method)
    # Only this machine is called without TLS, and no proxy reads the token.
    ways = [_StayHere] if url.startswith('https:') else [_StayHere, urllib.request.ProxyHandler({})]
    try:
        with urllib.request.build_opener(*ways).open(request, timeout=timeout) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.code, answer.headers, answer.read()


class Kassa:
    """The calls. See `open_kassa`."""

    def __init__(self, url, token, wait_seconds=3, timeout_seconds=30, tries=3, pause_seconds=0.5, send=send_with_urllib):
        self._base = _address_of(url)
        if not isinstance(token, str) or not re.fullmatch(r'\s*[\x21-\x7e]+\s*', token):
            raise TypeError('The merchant token is missing, or something else is in it: it is one word that begins with ksk_.')
        self._token, self._tries, self._send = token.strip(), tries, send
        self._pause, self._timeout = pause_seconds, timeout_seconds
        self._wait_seconds, self._wait = wait_seconds, {'Prefer': f'wait={wait_seconds}'}

    def create_payment(self, request, key=_LEFT_OUT):
        """Opens a payment. Send the buyer to `value['checkoutUrl']`."""
        return self._call('POST', '/v1/payment-sessions', request, None if key is _LEFT_OUT else _need_key(key))

    def create_link(self, request, key):
        """Opens a payment with a link that can be sent."""
        return self._call('POST', '/v1/payment-links', request, _need_key(key))

    def look_up(self, payment_id):
        return self._call('GET', f'/v1/payments?paymentId={_id_of(payment_id)}')

    def refund(self, payment_id, request, key, if_refunded_minor=_LEFT_OUT):
        """`if_refunded_minor`: refund only if this much was refunded before, also from outside. Else 409 with the sums."""
        only = {} if if_refunded_minor is _LEFT_OUT else {'Kassa-If-Refunded-Minor': _need_minor(if_refunded_minor)}
        return self._operate(payment_id, 'refunds', request, key, {**self._wait, **only})

    def capture(self, payment_id, request=None, *, key):
        return self._operate(payment_id, 'capture', request or {}, key, self._wait)

    def void(self, payment_id, request, key):
        return self._operate(payment_id, 'void', request, key, self._wait)

    def cancel(self, payment_id, request, key):
        """Ends a payment that nobody has paid."""
        return self._operate(payment_id, 'cancel', request, key, {})

    def look_up_operation(self, operation_id):
        return self._call('GET', f'/v1/operations/{_id_of(operation_id)}')

    def capabilities(self):
        return self._call('GET', '/v1/capabilities')

    def _operate(self, payment_id, what, request, key, headers):
        return self._call('POST', f'/v1/payments/{_id_of(payment_id)}/{what}', request, _need_key(key), headers)

    def _call(self, method, path, request=None, key=None, headers=None):
        """`key`: the idempotency key. Without one, only what changes nothing is sent again."""
        is_safe = method == 'GET' or key is not None
        if isinstance((request or {}).get('amountMinor'), float):
            raise TypeError("`amountMinor` is a whole number of minor units: to_minor('19.00', 'USD') is 1900. A float is not exact.")
        sent = {'Authorization': f'Bearer {self._token}', 'Accept': 'application/json', **(headers or {})}
        if key is not None:
            sent['Idempotency-Key'] = key
        body = None if request is None else json.dumps(request).encode()
        if body is not None:
            sent['Content-Type'] = 'application/json'
        was_sent = False
        for at in range(1, self._tries + 1):
            result = self._once(method, path, sent, body, was_sent)
            was_sent = was_sent or result.ok or result.error.code != 'not_reached'
            if result.ok or not is_safe or not result.error.retryable or at == self._tries:
                break
            pause = result.error.retry_after_seconds
            pause = self._pause * 2 ** (at - 1) if pause is None else pause
            if pause > self._timeout:
                break
            time.sleep(pause * random.uniform(1, 1.25))
        return result

    def _once(self, method, path, headers, body, was_sent):
        """`was_sent`: an earlier try may have been carried out."""
        try:
            status, answered, raw = self._send(method, self._base + path, headers, body, self._timeout + self._wait_seconds)
            value = _parse(raw)
            if status in (200, 201) and value is not None:
                return Result(True, value, replayed=answered.get('X-Idempotent-Replay') is not None)
            return Result(False, error=error_of(status, value, answered.get('Retry-After')))
        except Exception as cause:  # OSError, and what http.client raises when the connection breaks off.
            return Result(False, error=_silence_of(cause, was_sent, self._base))


def open_kassa(url, token, **settings):
    """Returns the calls. `url`: the address of your Kassa. `token`: the merchant token.

    `wait_seconds`: how long an operation may be waited for. `tries`: how often a call is sent at most; one that moves anything
    is repeated only with its key. `send`: another way out, with the signature of `send_with_urllib`.
    """
    return Kassa(url, token, **settings)
