/** How an event travels: the headers of one attempt. */
import { signatureHeaders } from './signature.ts'

/** Every header that Kassa itself sets. `secrets`: the live ones, newest first; `at`: the moment of sending. */
export function eventHeaders(
  event: { id: string; body: string },
  secrets: string[],
  at: Date,
): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Kassa/1 (+events)',
    ...signatureHeaders(event, secrets, at),
  }
}

/** Whether a receiver took the event. A redirect is a refusal. */
export function isAccepted(statusCode: number): boolean {
  return statusCode >= 200 && statusCode < 300
}
