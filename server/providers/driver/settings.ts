/** Settings that mean the same at every card provider. A driver adds them to its own. */
import { z } from 'zod'

/** `renewals`: the default of RENEWALS, and its description for the operator. */
export function workSettings(renewals: { default: 'enabled' | 'disabled'; description: string }) {
  return {
    STEPS: z
      .enum(['one', 'two'])
      .default('one')
      .describe(
        'With `one` the money is taken when the buyer pays. With `two` the payment is authorized first and captured later.',
      ),
    OPERATIONS: z
      .enum(['enabled', 'disabled', 'not_configured'])
      .default('enabled')
      .describe(
        'Whether refunds, captures, voids, saved methods, subscriptions and receipts work. With `disabled` a request for one gets 409, with `not_configured` 501.',
      ),
    RENEWALS: z.enum(['enabled', 'disabled']).default(renewals.default).describe(renewals.description),
  }
}

export const RENEWALS_ENABLED = {
  default: 'enabled',
  description:
    'Whether the route accepts subscriptions. `DUNNING_DELAYS` sets when failed renewals are tried again.',
} as const

/** Returns an address as requests are sent to it, whichever way it is spelled. Any other value stays as it is. */
export function plainAddress(value: string): string {
  if (!/^https?:/i.test(value) || !URL.canParse(value)) return value
  const url = new URL(value)
  // A host name may end with a dot, and servers take several slashes for one.
  url.hostname = url.hostname.replace(/\.$/, '')
  url.pathname = url.pathname.replace(/\/+/g, '/').replace(/%[\da-f]{2}/gi, plainOctet)
  return url.href
}

/** These characters mean the same encoded or not. The hexadecimal digits of all others may be small or capital. Source: RFC 3986, 6.2.2. */
function plainOctet(encoded: string): string {
  const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
  return /[\w.~-]/.test(character) ? character : encoded.toUpperCase()
}
