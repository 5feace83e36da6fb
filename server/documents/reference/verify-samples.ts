/** How a receiver verifies an event, in each language that one is written in. */
export const VERIFY_SAMPLES: Record<string, string> = {
  node: `import { createHmac, timingSafeEqual } from 'node:crypto'

/** rawBody: the bytes as they came. header: X-SERVICE-Signature. */
export function verifyEvent(rawBody, header, secret) {
  const parts = header.split(',').map((part) => part.split('='))
  const t = parts.find(([name]) => name === 't')?.[1]
  if (!(Math.abs(Date.now() / 1000 - Number(t)) <= 300)) throw new Error('stale event')
  const expected = createHmac('sha256', secret).update(\`\${t}.\`).update(rawBody).digest()
  const isSigned = parts.some(([name, hex = '']) => {
    const given = Buffer.from(hex, 'hex')
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!isSigned) throw new Error('wrong signature')
  return JSON.parse(rawBody)
}`,
  python: `import hashlib
import hmac
import json
import time


def verify_event(raw_body: bytes, header: str, secret: str) -> dict:
    """raw_body: the bytes as they came. header: X-SERVICE-Signature."""
    parts = [part.split('=', 1) for part in header.split(',')]
    t = next(value for name, value in parts if name == 't')
    if abs(time.time() - int(t)) > 300:
        raise ValueError('stale event')
    signed = t.encode() + b'.' + raw_body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    if not any(name == 'v1' and hmac.compare_digest(value, expected) for name, value in parts):
        raise ValueError('wrong signature')
    return json.loads(raw_body)`,
  php: `<?php
/** $rawBody: file_get_contents('php://input'). $header: $_SERVER['HTTP_X_SERVICE_SIGNATURE']. */
function verify_event(string $rawBody, string $header, string $secret): array
{
    $t = preg_match('/(?:^|,)t=(\\d+)/', $header, $found) ? $found[1] : '0';
    if (abs(time() - (int) $t) > 300) {
        throw new RuntimeException('stale event');
    }
    $expected = hash_hmac('sha256', "$t.$rawBody", $secret);
    foreach (explode(',', $header) as $part) {
        if (str_starts_with($part, 'v1=') && hash_equals($expected, substr($part, 3))) {
            return json_decode($rawBody, true);
        }
    }
    throw new RuntimeException('wrong signature');
}`,
}
