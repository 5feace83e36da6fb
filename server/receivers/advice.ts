/** Advice for the developer of a receiver: what its response to an event means, and what to do next. */
import type { Exchange } from '../outbound/outbound.ts'

/** The console has words of its own for each. */
const ADVICE = {
  redirects: 'It redirects, and redirects are not followed. Set the address that it redirects to.',
  signature:
    'It rejects the signature. Give it the secret of this merchant, and let it verify the raw body, before the body is parsed.',
  forbidden:
    'CSRF protection, a log-in or a firewall in front of it rejects the request. Allow POST requests without a cookie there.',
  not_found: 'There is nothing at this path. Check the address.',
  method: 'It does not accept POST at this path. Check the address and its method.',
  gone: 'It reports that it is gone for good. Set another address.',
  too_large: 'The body is too large for it. Allow bodies of 64 KB.',
  media_type: 'It does not accept application/json. Let it read the raw body of any content type.',
  rate: 'It limits the rate of requests. Remove its limit for events.',
  rejects: 'It rejects the event. Look for the reason in its own log.',
  fails: 'It fails. Look for the reason in its own log. Let it respond first, and do the work afterwards.',
  unknown_status: 'It responds with a status that HTTP does not define.',
  nobody_listens: 'Nothing listens there. Start the receiver, and check the port.',
  no_response: 'It does not respond in time. Let it respond first, and do the work afterwards.',
  no_address: 'The host name has no address. Check its spelling and its DNS record.',
  not_allowed: 'Only public https addresses are called. CALLBACK_ALLOW lists exceptions.',
  certificate: 'Its certificate is not valid. Install a valid one, with the whole chain.',
  closes:
    'It closes the connection. Look for the reason in its own log, or in that of the proxy in front of it.',
  unreachable: 'It cannot be reached',
} as const
export type AdviceName = keyof typeof ADVICE

const BY_STATUS: [from: number, to: number, name: AdviceName | null][] = [
  [200, 299, null],
  [300, 399, 'redirects'],
  [401, 401, 'signature'],
  [403, 403, 'forbidden'],
  [404, 404, 'not_found'],
  [405, 405, 'method'],
  [410, 410, 'gone'],
  [413, 413, 'too_large'],
  [415, 415, 'media_type'],
  [429, 429, 'rate'],
  [400, 499, 'rejects'],
  [500, 599, 'fails'],
]

const BY_FAILURE: [sign: RegExp, name: AdviceName][] = [
  [/ECONNREFUSED/, 'nobody_listens'],
  [/no answer within|time/i, 'no_response'],
  [/ENOTFOUND|EAI_AGAIN/, 'no_address'],
  [/not a public address|not allowed/, 'not_allowed'],
  [/certificate|SSL|TLS|altname/i, 'certificate'],
  [/ECONNRESET|socket hang up|cut off|closed|EPIPE/, 'closes'],
]

/** `failure`: why there was no response; null if there was one. */
export type Responded = { statusCode: number | null; failure: string | null }

/** Returns what to do next. Null if the event was accepted. */
export function adviceNameOf({ statusCode, failure }: Responded): AdviceName | null {
  if (statusCode === null) return BY_FAILURE.find(([sign]) => sign.test(failure ?? ''))?.[1] ?? 'unreachable'
  const row = BY_STATUS.find(([from, to]) => from <= statusCode && statusCode <= to)
  return row ? row[2] : 'unknown_status'
}

/** Returns what to do next in one or two sentences. Empty if the event was accepted. */
export function adviceText(responded: Responded): string {
  const name = adviceNameOf(responded)
  if (name === null) return ''
  return name === 'unreachable' ? `${ADVICE.unreachable}: ${responded.failure ?? ''}.` : ADVICE[name]
}

/** The same, of an exchange that has just ended. */
export const adviceOn = (exchange: Exchange): string =>
  adviceText(
    exchange.kind === 'failed'
      ? { statusCode: null, failure: exchange.message }
      : { statusCode: exchange.statusCode, failure: null },
  )
