/** The settings of an account at Stripe. */
import { z } from 'zod'
import { RENEWALS_ENABLED, workSettings } from '../driver/settings.ts'

export const STRIPE_API = 'https://api.stripe.com'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

export const StripeSettings = z
  .object({
    ACCOUNT: z
      .string()
      .regex(/^acct_[A-Za-z0-9]{8,64}$/, { error: 'must start with `acct_`' })
      .meta({ takes: 'an id that starts with `acct_`' })
      .describe(
        'The id of the Stripe account. The Dashboard shows it under Settings, Business, Account details. Because of this id, payments stay with their account when its keys are replaced. `account test` checks that the key belongs to this account.',
      ),
    SECRET_KEY: z
      .string()
      .regex(/^(sk|rk)_(test|live)_[A-Za-z0-9_]{8,240}$/, {
        error: 'must be a secret key: it starts with `sk_test_`, `sk_live_`, `rk_test_` or `rk_live_`',
      })
      .meta({ takes: 'a secret key' })
      .describe(
        "The account's secret key, or a restricted key. Keys with `_test_` move test money. Keys with `_live_` move real money.",
      ),
    WEBHOOK_SECRET: z
      .string()
      .regex(/^whsec_[^\s,]+([\s,]+whsec_[^\s,]+){0,4}$/, {
        error: 'must be one to five signing secrets that start with `whsec_`, separated by commas',
      })
      .optional()
      .meta({
        takes: 'signing secrets that start with `whsec_`, separated by commas',
        unset: 'Stripe cannot report payments, and Kassa notices them later',
      })
      .describe(
        'The signing secret of the webhook endpoint at Stripe. Several are accepted while one replaces another. Without it Stripe cannot report payments: Kassa asks Stripe instead and notices them later.',
      ),
    ...workSettings(RENEWALS_ENABLED),
    API_BASE: z
      .url({ protocol: /^https?$/ })
      .optional()
      .meta({ takes: 'a web address' })
      .describe(
        'For tests: the address of a simulator of Stripe. It is accepted only with a test key. Plain `http` is accepted only for this machine.',
      ),
  })
  .superRefine(({ API_BASE, SECRET_KEY }, context) => {
    if (API_BASE === undefined) return
    const { protocol, hostname } = new URL(API_BASE)
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['API_BASE'], message })
    if (modeOfKey(SECRET_KEY) === 'live')
      refuse('must not be set with a live key: it would send real money elsewhere')
    else if (protocol === 'http:' && !LOOPBACK.includes(hostname)) refuse('must start with https')
  })
export type StripeSettings = z.infer<typeof StripeSettings>

/** Returns the mode, which Stripe writes into the key. */
export function modeOfKey(key: string): 'test' | 'live' {
  return /^(sk|rk)_live_/.test(key) ? 'live' : 'test'
}

/** Returns the secrets in the order in which they are written: the newest first. */
export function webhookSecretsOf({ WEBHOOK_SECRET }: StripeSettings): string[] {
  return (WEBHOOK_SECRET ?? '').split(/[\s,]+/).filter(Boolean)
}
