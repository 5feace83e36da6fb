/** Signs events: with the contract's header, and also with the headers of Standard Webhooks. */
import { createHmac, createSecretKey } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'

/**
 * Returns the signature headers of one attempt. `secrets`: the current ones, newest first. Each adds one signature. `at`: the time
 * of sending, because receivers reject an old one.
 */
export function signatureHeaders(
  event: { id: string; body: string },
  secrets: string[],
  at: Date,
): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000)
  // A text as a key takes three times as long, because Node looks first, with an error, whether it is a key object.
  const hex = secrets.map((secret) =>
    createHmac('sha256', createSecretKey(secret, 'utf8')).update(`${timestamp}.${event.body}`).digest('hex'),
  )
  const standard = secrets.map((secret) => {
    const key = createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64')
    return createHmac('sha256', key).update(`${event.id}.${timestamp}.${event.body}`).digest('base64')
  })
  return {
    'x-service-signature': [`t=${timestamp}`, ...hex.map((digest) => `v1=${digest}`)].join(','),
    'webhook-id': event.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.map((digest) => `v1,${digest}`).join(' '),
  }
}
