/** What a receiver's answer to an event means for whoever wrote it, and what to do about it. */
import type { Exchange } from '../outbound.ts'

const BY_STATUS: [from: number, to: number, advice: string][] = [
  [200, 299, ''],
  [300, 399, 'It redirects, and an event is not sent on: set the address that it redirects to.'],
  [
    ...([401, 401] as const),
    'It refuses the signature: give it the secret of this merchant, and the body as it came, not parsed and written again.',
  ],
  [
    ...([403, 403] as const),
    'Something before it refuses: let POST requests without a cookie through (CSRF protection, log-in, firewall).',
  ],
  [404, 404, 'There is nothing at this path: check the address.'],
  [405, 405, 'It takes no POST at this path: check the address and its method.'],
  [410, 410, 'It says that it is gone for good: set another address.'],
  [413, 413, 'It wants less: allow bodies of 64 KB.'],
  [415, 415, 'It does not take application/json: let it read the raw body, whatever its type.'],
  [429, 429, 'It wants fewer requests: lift its limit for events.'],
  [400, 499, 'It refuses the event: its own log says why.'],
  [500, 599, 'It fails: its own log says why. Answer first, and do the work afterwards.'],
]

const BY_FAILURE: [sign: RegExp, advice: string][] = [
  [/ECONNREFUSED/, 'Nothing listens there: start the receiver, and check the port.'],
  [/no answer within|time/i, 'It does not answer in time: answer first, and do the work afterwards.'],
  [/ENOTFOUND|EAI_AGAIN/, 'The name leads nowhere: check its spelling, and its DNS record.'],
  [
    /not a public address|not allowed/,
    'Only public https addresses are called; CALLBACK_ALLOW lists exceptions.',
  ],
  [/certificate|SSL|TLS|altname/i, 'Its certificate is not valid: mend that, with the whole chain.'],
  [
    /ECONNRESET|socket hang up|cut off|EPIPE/,
    'It closes the connection: its own log, or the proxy before it, says why.',
  ],
]

/** One sentence that says what to do; empty when the event was taken. */
export function adviceOn(exchange: Exchange): string {
  if (exchange.kind === 'failed')
    return (
      BY_FAILURE.find(([sign]) => sign.test(exchange.message))?.[1] ??
      `It cannot be reached: ${exchange.message}.`
    )
  const { statusCode } = exchange
  const row = BY_STATUS.find(([from, to]) => from <= statusCode && statusCode <= to)
  return row?.[2] ?? 'It answers with no status that HTTP knows.'
}
