/** The settings of an account at PayPal. */
import { z } from 'zod'
import { workSettings } from '../driver/settings.ts'

const HOSTS = { sandbox: 'https://api-m.sandbox.paypal.com', live: 'https://api-m.paypal.com' } as const
/** Every request carries the credentials, so plain http is allowed only to this machine. */
const ADDRESS = /^(https:\/\/[^/?#\s]+|http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?)\/?$/

export const PaypalSettings = z
  .object({
    ENVIRONMENT: z
      .enum(['sandbox', 'live'])
      .describe(
        'Where the app was created in the PayPal Developer Dashboard. `sandbox` is for test money, `live` for real money.',
      ),
    CLIENT_ID: z
      .string()
      .regex(/^[A-Za-z0-9_-]{10,200}$/, { error: 'must be a client id as PayPal shows it' })
      .meta({ takes: 'text from the PayPal Developer Dashboard' })
      .describe('The client id of the REST app at PayPal.'),
    CLIENT_SECRET: z
      .string()
      .regex(/^[\x21-\x7e]{10,200}$/, { error: 'must be a secret as PayPal shows it' })
      .meta({ takes: 'text from the PayPal Developer Dashboard' })
      .describe('The secret of the REST app at PayPal.'),
    WEBHOOK_ID: z
      .string()
      .regex(/^[A-Za-z0-9]{1,50}$/, { error: 'must have 1 to 50 letters and digits' })
      .optional()
      .meta({
        takes: 'letters and digits, at most 50',
        unset: 'PayPal cannot report payments, and Kassa notices them later',
      })
      .describe(
        "The id of the webhook that calls this account's callback address. Without it PayPal cannot report payments: Kassa asks PayPal instead and notices them later.",
      ),
    SAVED_METHODS: z
      .enum(['enabled', 'disabled'])
      .default('disabled')
      .describe(
        'Whether buyers can save their PayPal account, and subscriptions charge it. Enable it only after PayPal has granted this to the app: *Vault*, also called *Save payment methods*. `account test` says whether PayPal has.',
      ),
    SHIPPING: z
      .enum(['none', 'paypal'])
      .default('none')
      .describe(
        "Whether PayPal has the buyer's address. `none`: PayPal asks for no address, which is right for what is not sent. `paypal`: the buyer chooses an address at PayPal. PayPal protects sellers of goods only for what was sent to that address, so look it up there before you send.",
      ),
    ...workSettings({
      default: 'disabled',
      description: 'Whether the route accepts subscriptions. They also need saved PayPal accounts.',
    }),
    ADDRESS: z
      .string()
      .regex(ADDRESS, {
        error: 'must be an https address without a path. Plain http is accepted only for this machine',
      })
      .optional()
      .meta({ takes: 'a web address' })
      .describe("Another address than PayPal's own, for tests. It is rejected for a live account."),
  })
  .refine(({ ENVIRONMENT, ADDRESS: address }) => ENVIRONMENT !== 'live' || address === undefined, {
    path: ['ADDRESS'],
    error: "must not be set with ENVIRONMENT=live: real money must go to PayPal's own address",
  })
export type PaypalSettings = z.infer<typeof PaypalSettings>

/** Returns the mode of an address of PayPal's API or pages. Returns null for every other address, such as a simulator's. */
export function modeStatedBy(url: string): 'test' | 'live' | null {
  const { hostname } = URL.canParse(url) ? new URL(url) : { hostname: '' }
  const [host, sandbox] = /^(?:api|api-m|www)\.(sandbox\.)?paypal\.com$/.exec(hostname) ?? []
  if (host === undefined) return null
  return sandbox === undefined ? 'live' : 'test'
}

/** Returns the origin of PayPal's API for this account. */
export function apiOf({ ENVIRONMENT, ADDRESS: address }: PaypalSettings): string {
  return (address ?? HOSTS[ENVIRONMENT]).replace(/\/$/, '')
}

/**
 * Returns whether an address that PayPal returned belongs to PayPal, because buyers are sent there. Another API address has its
 * pages on its own host.
 */
export function isOfPaypal({ ADDRESS: address }: PaypalSettings, url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, username } = new URL(url)
  if (address !== undefined) return hostname === new URL(address).hostname
  return protocol === 'https:' && username === '' && /(^|\.)paypal\.com$/.test(hostname)
}
