/** Advice for whoever wrote a receiver: what its response to an event means, and what to do next. */
import type { Exchange } from '../outbound/outbound.ts'

const BY_STATUS: [from: number, to: number, advice: string][] = [
  [200, 299, ''],
  [300, 399, 'It redirects, and redirects are not followed. Set the address that it redirects to.'],
  [
    ...([401, 401] as const),
    'It rejects the signature. Give it the secret of this merchant, and let it verify the raw body, before the body is parsed.',
  ],
  [
    ...([403, 403] as const),
    'CSRF protection, a log-in or a firewall in front of it rejects the request. Allow POST requests without a cookie there.',
  ],
  [404, 404, 'There is nothing at this path. Check the address.'],
  [405, 405, 'It does not accept POST at this path. Check the address and its method.'],
  [410, 410, 'It reports that it is gone for good. Set another address.'],
  [413, 413, 'The body is too large for it. Allow bodies of 64 KB.'],
  [415, 415, 'It does not accept application/json. Let it read the raw body of any content type.'],
  [429, 429, 'It limits the rate of requests. Remove its limit for events.'],
  [400, 499, 'It rejects the event. Look for the reason in its own log.'],
  [
    500,
    599,
    'It fails. Look for the reason in its own log. Let it respond first, and do the work afterwards.',
  ],
]

const BY_FAILURE: [sign: RegExp, advice: string][] = [
  [/ECONNREFUSED/, 'Nothing listens there. Start the receiver, and check the port.'],
  [
    /no answer within|time/i,
    'It does not respond in time. Let it respond first, and do the work afterwards.',
  ],
  [/ENOTFOUND|EAI_AGAIN/, 'The host name has no address. Check its spelling and its DNS record.'],
  [
    /not a public address|not allowed/,
    'Only public https addresses are called. CALLBACK_ALLOW lists exceptions.',
  ],
  [
    /certificate|SSL|TLS|altname/i,
    'Its certificate is not valid. Install a valid one, with the whole chain.',
  ],
  [
    /ECONNRESET|socket hang up|cut off|EPIPE/,
    'It closes the connection. Look for the reason in its own log, or in that of the proxy in front of it.',
  ],
]

/** Returns what to do next in one or two sentences. Empty if the event was accepted. */
export function adviceOn(exchange: Exchange): string {
  if (exchange.kind === 'failed')
    return (
      BY_FAILURE.find(([sign]) => sign.test(exchange.message))?.[1] ??
      `It cannot be reached: ${exchange.message}.`
    )
  const { statusCode } = exchange
  const row = BY_STATUS.find(([from, to]) => from <= statusCode && statusCode <= to)
  return row?.[2] ?? 'It responds with a status that HTTP does not define.'
}
