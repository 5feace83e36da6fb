/** The headers of one attempt to deliver an event, and which responses accept it. */
import { signatureHeaders } from './signature.ts'

/** Returns every header that Kassa itself sets. `secrets`: the current ones, newest first. `at`: the time of sending. */
export function eventHeaders(
  event: { id: string; body: string | Buffer },
  secrets: readonly string[],
  at: Date,
): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Kassa/1 (+events)',
    ...signatureHeaders(event, secrets, at),
  }
}

/** Returns whether this response accepts the event. A redirect does not. */
export function isAccepted(statusCode: number): boolean {
  return statusCode >= 200 && statusCode < 300
}
