/** The topic about rate limits. Each server fills in its own numbers. */
import { limitMark, markOf } from '../../http/docs/built.ts'
import type { LimitName } from '../../limits/settings.ts'
import { html, type Markup } from '../../pages/html.ts'
import { paragraphs, table } from './prose.ts'

const LIMITED: Record<LimitName, string> = {
  write: 'requests that create something, for each token',
  lookup: 'look-ups, for each token',
  widget_caller: 'clicks of the button, for each address over all public keys',
  widget_address: 'clicks of the button, for each address and public key',
  widget_key: 'clicks of the button, for each public key',
  widget_new: 'clicks of the button above that, for each public key, from networks that are new to it',
  page: 'hosted pages and documentation, for each address',
  failed_token: 'requests with a wrong token, for each address',
  sign_in: 'tries to sign in to the console, for each address',
  sign_in_network: 'the same for each network: an IPv4 /24 or an IPv6 /48',
  sign_in_passkey: 'passkeys at the console, for each address',
  sign_in_user:
    'tries of a password or a code of the console, for each person, and apart for each browser that has signed in before',
  person: 'requests to the console, for each person who is signed in',
  person_files: 'forms of the console with files, for each person',
  callback: 'callbacks of payment providers, for each address',
  callback_rejected: 'callbacks that the provider did not send, for each address and account',
  declines_address: 'declined payments, for each address of a buyer and each payment',
  declines_card: 'declined payments, for each card number’s last four digits',
  declines_shop: 'declined payments, for each merchant: above it only buyers who were declined wait',
  return: 'returns from a payment provider, for each address',
}

export function limits(): Markup {
  const names = Object.keys(LIMITED) as LimitName[]
  return html`
    ${paragraphs('A limit allows a number of requests at once, and then a steady rate. A request above it gets 429 `rate_limited` with `Retry-After` in seconds. Wait that long, plus a random time. The headers `RateLimit` and `RateLimit-Policy` say how much is left before that.')}
    <p>${markOf('limits')}</p>
    ${table(
      ['What is counted', 'At once', 'Then'],
      names.map((name) => [LIMITED[name], limitMark(name, 'burst'), limitMark(name, 'pace')]),
    )}`
}
