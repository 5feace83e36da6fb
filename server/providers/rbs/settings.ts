/** The settings of an account at a gateway of the RBS family: which bank it is, its logins, and what the bank has allowed. */
import { createPublicKey, X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { SESSION_SECONDS_MAX } from '../arca/order.ts'
import { RENEWALS_ENABLED, workSettings } from '../driver/settings.ts'

/** Every request carries the password, so plain http is allowed only to this machine. */
const ADDRESS = /^(https:\/\/[^/?#\s@]+|http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?)\/([^?#\s]*\/)?$/

const SWITCH = z.enum(['enabled', 'disabled'])
const LOGIN = z
  .string()
  .regex(/^[\x21-\x7e]{1,30}$/, { error: 'must have 1 to 30 characters without spaces' })
  .meta({ takes: 'text from the bank, at most 30 characters' })

export const RbsSettings = z
  .object({
    GATEWAY: z
      .enum(['arca', 'other'])
      .default('arca')
      .describe(
        "Whose gateway it is. `arca` is iPay of Armenian Card, which most banks of Armenia use. `other` is the same software at another bank, such as Inecobank, JCC in Cyprus or DSK in Bulgaria. ArCa's gateway sends no callbacks, cannot end an unpaid order, and ends an order for good when it is declined.",
      ),
    ADDRESS: z
      .string()
      .regex(ADDRESS, {
        error:
          'must be an https address that ends with a slash. Plain http is accepted only for this machine',
      })
      .meta({ takes: 'a web address that ends with a slash' })
      .describe(
        'The address of the methods, up to the name of the method. ArCa: `https://ipay.arca.am/payment/rest/` for real money, `https://ipaytest.arca.am:8445/payment/rest/` for tests. Another bank tells its own.',
      ),
    USERNAME: LOGIN.describe(
      'The login for the API. Its name often ends with `_api`. Banks give one login for each currency: then set up one account for each.',
    ),
    PASSWORD: LOGIN.describe(
      'The password of that login. Change the password that the bank gave you on the page of the bank first: ArCa refuses every request before that.',
    ),
    BINDING_USERNAME: LOGIN.optional()
      .meta({ unset: 'the first login is used' })
      .describe(
        'The second login, which charges saved cards. ArCa gives it when the bank allows saved cards. Another bank may use the first login for this.',
      ),
    BINDING_PASSWORD: LOGIN.optional()
      .meta({ unset: 'the first login is used' })
      .describe('The password of the second login. It has to be changed at the bank first, too.'),
    SAVED_METHODS: SWITCH.default('disabled').describe(
      'Whether buyers can save their cards, and subscriptions charge them. Enable it only after the bank has allowed bindings.',
    ),
    SAVING_AMOUNT: z.coerce
      .number()
      .int()
      .min(100)
      .max(1_000_000)
      .default(1_000)
      .meta({ takes: 'a whole number from 100 to 1000000' })
      .describe(
        'What saving a card takes, in minor units: 1000 are 10 drams. The bank saves a card only by a real payment. Kassa gives the money back at once.',
      ),
    SAVING_CURRENCY: z
      .enum(['AMD', 'USD', 'EUR'])
      .default('AMD')
      .describe('The currency of what saving a card takes. It must be one of this login.'),
    SESSION_SECONDS: z.coerce
      .number()
      .int()
      .min(60)
      .max(SESSION_SECONDS_MAX)
      .default(SESSION_SECONDS_MAX)
      .meta({ takes: 'a whole number from 60 to 1200' })
      .describe(
        'How long a buyer has on the page of the bank, in seconds. 1200 is the longest time that the gateway knows. A buyer who needs longer starts again on our page.',
      ),
    REVERSE_PAID: SWITCH.default('disabled').describe(
      'Whether a payment whose money is taken can be voided until the end of the day. Enable it only if the bank has allowed reversals of such payments. A refund is always possible.',
    ),
    REFUND_IDS: SWITCH.default('disabled').describe(
      "Whether the bank takes an id with each refund (`externalRefundId`) and does a repeated refund once. ArCa's gateway does not, so there a refund whose answer is lost is never repeated.",
    ),
    WITHDRAW: SWITCH.default('disabled').describe(
      "Whether the bank has `decline.do`, which ends an order that nobody has paid. ArCa's gateway has no such method.",
    ),
    CALLBACK_KEY: z
      .string()
      .regex(/^[\x21-\x7e]{8,256}$/, { error: 'must be a key as the bank shows it' })
      .optional()
      .meta({
        takes: 'a key from the bank',
        unset: 'the bank cannot report payments, and Kassa asks more often',
      })
      .describe(
        'The key of callbacks with a symmetric checksum (HMAC). Ask the bank to send callbacks with checksums to the address that `account show` prints.',
      ),
    CALLBACK_CERTIFICATE: z
      .string()
      .refine((text) => publicKeyIn(text) !== null, { error: 'must be a certificate or a public key in PEM' })
      .optional()
      .meta({
        takes: 'a certificate or a public key in PEM',
        unset: 'callbacks are checked with the shared key',
      })
      .describe('The certificate for callbacks with an asymmetric checksum (RSA), as the bank shows it.'),
    TIME_ZONE: z
      .string()
      .refine(isTimeZone, { error: 'must be the name of a time zone, such as Asia/Yerevan' })
      .default('Asia/Yerevan')
      .meta({ takes: 'a name such as `Asia/Yerevan`' })
      .describe('The time zone of the bank. A payment can be voided until the end of its day there.'),
    ...workSettings(RENEWALS_ENABLED),
  })
  .superRefine((settings, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    for (const name of ['CALLBACK_KEY', 'CALLBACK_CERTIFICATE'] as const)
      if (settings.GATEWAY === 'arca' && settings[name] !== undefined)
        refuse(name, "must not be set with GATEWAY=arca: ArCa's gateway sends no callbacks")
    for (const name of ['REFUND_IDS', 'WITHDRAW'] as const)
      if (settings.GATEWAY === 'arca' && settings[name] === 'enabled')
        refuse(name, "must not be enabled with GATEWAY=arca: ArCa's gateway does not have it")
    const { BINDING_USERNAME: username, BINDING_PASSWORD: password, SAVED_METHODS, GATEWAY } = settings
    if ((username === undefined) !== (password === undefined))
      refuse(
        username === undefined ? 'BINDING_USERNAME' : 'BINDING_PASSWORD',
        'must be set: the second login has both',
      )
    if (SAVED_METHODS === 'enabled' && GATEWAY === 'arca' && username === undefined)
      refuse('BINDING_USERNAME', 'must be set: ArCa charges saved cards only with the second login')
  })
export type RbsSettings = z.infer<typeof RbsSettings>

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== null
  } catch {
    return false
  }
}

/** Returns the key of a certificate or of a public key; null for any other text. */
export function publicKeyIn(text: string) {
  // A setting in one line has `\n` for its line breaks.
  const pem = text.replaceAll('\\n', '\n')
  try {
    return pem.includes('BEGIN CERTIFICATE') ? new X509Certificate(pem).publicKey : createPublicKey(pem)
  } catch {
    return null
  }
}

/** Which hosts move test money, and which real money. A bank that is not here may have one host for both. */
const HOSTS: Readonly<Record<string, 'test' | 'live'>> = {
  'ipaytest.arca.am': 'test',
  'ipay.arca.am': 'live',
  'gateway-test.jcc.com.cy': 'test',
  'gateway.jcc.com.cy': 'live',
  'uat.dskbank.bg': 'test',
  'epg.dskbank.bg': 'live',
  'vtbkz.rbsuat.com': 'test',
  'payment.vtb.kz': 'live',
  'dev.bpcbt.com': 'test',
  localhost: 'test',
  '127.0.0.1': 'test',
  '[::1]': 'test',
}

export function modeOf({ ADDRESS: address }: RbsSettings): 'test' | 'live' | 'untellable' {
  return HOSTS[new URL(address).hostname] ?? 'untellable'
}

/**
 * Returns the address of a page of the bank, because buyers are sent there; null if it is not on the bank's own host. The bank may name it
 * with http although its methods are at https: the sample in the manual does. Buyers are never sent there without encryption.
 */
export function pageOfBank({ ADDRESS: address }: RbsSettings, url: string): string | null {
  if (!URL.canParse(url)) return null
  const page = new URL(url)
  const own = new URL(address)
  if (page.hostname !== own.hostname || page.username !== '') return null
  if (page.protocol === own.protocol) return url
  if (page.protocol !== 'http:') return null
  page.protocol = own.protocol
  return page.href
}
