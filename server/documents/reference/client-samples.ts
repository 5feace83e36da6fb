/** What a developer pastes first, and how an event is verified, with the client of each language. */

/** Each is for a shell: it fetches the client, writes a program and runs it. The token is in the environment. */
export const firstCalls = (baseUrl: string): Record<string, string> => ({
  node: `curl -sSO ${baseUrl}/docs/clients/node/kassa.mjs
cat > pay.mjs <<'END'
import { keyOf, openKassa, toMinor } from './kassa.mjs'

const kassa = openKassa({ url: '${baseUrl}', token: process.env.KASSA_TOKEN })
const order = {
  merchantOrderId: 'order-1',
  amountMinor: toMinor('19.00', 'USD'),
  currency: 'USD',
  returnUrl: 'https://shop.example/thanks',
}
const made = await kassa.createPayment(order, { key: keyOf('pay', order.merchantOrderId) })
console.log(made.ok ? made.value.checkoutUrl : made.error)
END
node pay.mjs`,
  python: `curl -sSO ${baseUrl}/docs/clients/python/kassa.py
cat > pay.py <<'END'
import os
from kassa import key_of, open_kassa, to_minor

kassa = open_kassa('${baseUrl}', os.environ['KASSA_TOKEN'])
order = {
    'merchantOrderId': 'order-1',
    'amountMinor': to_minor('19.00', 'USD'),
    'currency': 'USD',
    'returnUrl': 'https://shop.example/thanks',
}
made = kassa.create_payment(order, key=key_of('pay', order['merchantOrderId']))
print(made.value['checkoutUrl'] if made.ok else made.error)
END
python3 pay.py`,
  php: `curl -sSO ${baseUrl}/docs/clients/php/Kassa.php
cat > pay.php <<'END'
<?php
require 'Kassa.php';

$kassa = Kassa\\openKassa(['url' => '${baseUrl}', 'token' => getenv('KASSA_TOKEN')]);
$order = [
    'merchantOrderId' => 'order-1',
    'amountMinor' => Kassa\\toMinor('19.00', 'USD'),
    'currency' => 'USD',
    'returnUrl' => 'https://shop.example/thanks',
];
$made = $kassa->createPayment($order, ['key' => Kassa\\keyOf('pay', $order['merchantOrderId'])]);
echo $made->ok ? $made->value['checkoutUrl'] : print_r($made->error, true), "\\n";
END
php pay.php`,
})

export const VERIFY_SAMPLES: Record<string, string> = {
  node: `import { verifyEvent } from './kassa.mjs'

/** rawBody: the bytes as they came. */
export function readEvent(rawBody, headers) {
  const { ok, event, error } = verifyEvent(rawBody, headers, { secrets: process.env.KASSA_WEBHOOK_SECRET })
  if (!ok) throw new Error(error.message) // Answer 401.
  return event
}`,
  python: `import os

from kassa import verify_event


def read_event(raw_body, headers):
    """raw_body: the bytes as they came."""
    verified = verify_event(raw_body, headers, os.environ['KASSA_WEBHOOK_SECRET'])
    if not verified.ok:
        raise ValueError(verified.error['message'])  # Answer 401.
    return verified.event`,
  php: `<?php
require 'Kassa.php';

/** $rawBody: file_get_contents('php://input'). $headers: $_SERVER. */
function read_event(string $rawBody, array $headers): array
{
    $verified = Kassa\\verifyEvent($rawBody, $headers, ['secrets' => getenv('KASSA_WEBHOOK_SECRET')]);
    if (!$verified['ok']) {
        throw new RuntimeException($verified['error']['message']); // Answer 401.
    }
    return $verified['event'];
}`,
}
