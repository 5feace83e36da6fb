/** The readiness of a Stripe or PayPal route names exactly the settings that are missing or wrong. */
import { expect, test } from 'vitest'
import { readRoutes } from './routes.ts'
import type { Mode } from './setting.ts'

const STRIPE = {
  DRIVER: 'stripe',
  ACCOUNT: 'acct_12345678',
  SECRET_KEY: 'sk_test_12345678',
  WEBHOOK_SECRET: 'whsec_1',
}
const PAYPAL = {
  DRIVER: 'paypal',
  ENVIRONMENT: 'sandbox',
  CLIENT_ID: 'client-of-a-shop',
  CLIENT_SECRET: 'secret-of-a-shop',
  WEBHOOK_ID: 'WH1',
}
/** `null` unsets a setting. */
type Changes = Record<string, string | null>
type Row = [base: Record<string, string>, changes: Changes, mode: Mode, missing: string[], reason: RegExp]

const ROWS: Row[] = [
  [STRIPE, {}, 'sandbox', [], /^Ready\.$/],
  [PAYPAL, {}, 'sandbox', [], /^Ready\.$/],
  [STRIPE, { ACCOUNT: null }, 'sandbox', ['ACCOUNT'], /^Set ROUTE_A_ACCOUNT\.$/],
  [STRIPE, { SECRET_KEY: null }, 'sandbox', ['SECRET_KEY'], /^Set ROUTE_A_SECRET_KEY\.$/],
  [
    STRIPE,
    { ACCOUNT: null, SECRET_KEY: null },
    'sandbox',
    ['ACCOUNT', 'SECRET_KEY'],
    /^Set ROUTE_A_ACCOUNT, ROUTE_A_SECRET_KEY\.$/,
  ],
  [STRIPE, { WEBHOOK_SECRET: null }, 'sandbox', [], /^Ready\. ROUTE_A_WEBHOOK_SECRET is not set, so Stripe/],
  [STRIPE, { SECRET_KEY: 'pk_test_12345678' }, 'sandbox', [], /^ROUTE_A_SECRET_KEY must be a secret key/],
  [STRIPE, { WEBHOOK_SECRET: 'secret' }, 'sandbox', [], /^ROUTE_A_WEBHOOK_SECRET must be one to five/],
  [STRIPE, { SECRET_KEY: 'sk_live_12345678' }, 'sandbox', [], /^ROUTE_A_\*: .*(live|real)/],
  [STRIPE, {}, 'live', [], /^ROUTE_A_\*: .*test/],
  [PAYPAL, { ENVIRONMENT: null }, 'sandbox', ['ENVIRONMENT'], /^Set ROUTE_A_ENVIRONMENT\.$/],
  [PAYPAL, { CLIENT_ID: null }, 'sandbox', ['CLIENT_ID'], /^Set ROUTE_A_CLIENT_ID\.$/],
  [PAYPAL, { CLIENT_SECRET: null }, 'sandbox', ['CLIENT_SECRET'], /^Set ROUTE_A_CLIENT_SECRET\.$/],
  [PAYPAL, { WEBHOOK_ID: null }, 'sandbox', [], /^Ready\. ROUTE_A_WEBHOOK_ID is not set, so PayPal/],
  [PAYPAL, { WEBHOOK_ID: 'not an id' }, 'sandbox', [], /^ROUTE_A_WEBHOOK_ID must have 1 to 50/],
  [PAYPAL, { ENVIRONMENT: 'live' }, 'sandbox', [], /^ROUTE_A_\*: .*(live|real)/],
  [PAYPAL, {}, 'live', [], /^ROUTE_A_\*: .*test/],
]

test.each(ROWS)('%o with %o in %s lacks %o', (base, changes, mode, missing, reason) => {
  const all = Object.entries({ ...base, ...changes })
  const given = all.flatMap(([name, value]) => (value === null ? [] : [[`ROUTE_A_${name}`, value] as const]))
  const route = readRoutes(mode, Object.fromEntries(given)).route_a
  expect(route.missing).toEqual(missing.map((name) => `ROUTE_A_${name}`))
  expect(route.reason).toMatch(reason)
  expect(route.driver !== null).toBe(route.reason.startsWith('Ready.'))
  for (const secret of ['12345678', 'secret-of-a-shop']) expect(route.reason).not.toContain(secret)
})
