/** Writes an event, signs it as the service does, and posts it to a receiver kit. */
import { createHmac } from 'node:crypto'

/** Returns the event's body. */
export function writeEvent(payment: { id: string; status: string }, sequence: number): string {
  return JSON.stringify({ id: 'evt_0written', type: 'payment.status_changed', sequence, payment })
}

/** Returns the signature header. The first of its two signatures is wrong, as while a secret is being rotated. */
export function signEvent(secret: string, body: string, t = Math.floor(Date.now() / 1000)): string {
  const digest = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
  return `t=${t},v1=${'0'.repeat(64)},v1=${digest}`
}

/** Returns the status of the kit's reply. */
export async function postEvent(port: string, body: string, signature: string | null): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/kassa/callback`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      ...(signature !== null && { 'x-service-signature': signature }),
    },
  })
  await response.text()
  return response.status
}
