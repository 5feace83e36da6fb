"""Runs the client for Python for the tests: one call a line, as JSON, and one answer a line."""
import base64
import dataclasses
import json
import re
import sys

import kassa

client = None


def snake(name):
    return re.sub('([A-Z])', r'_\1', name).lower()


def camel(name):
    return re.sub('_([a-z])', lambda found: found[1].upper(), name)


def plain(value):
    """The names of the client's own fields are written as in the other languages. What the service says stays as it is."""
    if not dataclasses.is_dataclass(value):
        return value
    return {camel(each.name): plain(getattr(value, each.name)) for each in dataclasses.fields(value)}


def way_out(kind):
    """A way out that leads nowhere: it raises, or answers with what was sent."""
    def send(method, url, headers, body, timeout):
        if kind == 'throws':
            raise RuntimeError('The line broke.')
        return 200, {}, json.dumps({'sent': body.decode()}).encode()
    return send


def run(name, args, options):
    global client
    if name == 'verifyEvent':
        args = [base64.b64decode(args[0]), *args[1:]]
    given = {snake(key): value for key, value in options.items()}
    if 'way_out' in given:
        given['send'] = way_out(given.pop('way_out'))
    if name == 'openKassa':
        client = kassa.open_kassa(**given)
        return None
    return (getattr(client, snake(name), None) or getattr(kassa, snake(name)))(*args, **given)


for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = {'returned': plain(run(asked['name'], asked['args'], asked['options']))}
    except (TypeError, ValueError) as error:
        answer = {'refused': str(error)}
    print(json.dumps(answer), flush=True)
