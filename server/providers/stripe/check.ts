/** `account test`: what is wrong with the key, the account or the webhook endpoint, in plain words. Nothing stays open. */
import type { z } from 'zod'
import { type Finding, ok, problem, unknown } from '../driver/finding.ts'
import { AccountRefusedError } from '../driver/refusal.ts'
import { checkEndpoint } from './check-endpoint.ts'
import { checkRights } from './check-rights.ts'
import { askStripe, read, refusalOf, type StripeCall } from './client.ts'
import { describeRefusal } from './refusals.ts'
import { keyOfOpening } from './request-id.ts'
import { modeOfKey } from './settings.ts'
import { StripeAccount } from './shapes.ts'

type Account = z.infer<typeof StripeAccount>

/** Returns the Stripe account of the key. A restricted key needs the permission `connected_account_read` for this. */
export async function readAccount(call: StripeCall): Promise<Account> {
  return read(call, StripeAccount, await askStripe(call, (stripe) => stripe.accounts.retrieveCurrent()))
}

export async function check(call: StripeCall, given: { callbackUrl: string }): Promise<Finding[]> {
  const account = await findAccount(call)
  if (account === 'refused')
    return [
      problem(
        'Stripe refuses the key in SECRET_KEY. Copy it again from the Dashboard: Developers, API keys.',
        { refusal: 'credentials' },
      ),
    ]
  const { ACCOUNT } = call.settings
  // What this key may do says nothing about our account.
  if (account && account.id !== ACCOUNT)
    return [
      problem(
        `The key belongs to the Stripe account ${account.id}, and ACCOUNT says ${ACCOUNT}. Correct one of the two.`,
      ),
    ]
  return [
    ...keyFindings(call, account),
    modeFinding(call),
    ...chargesFindings(call, account),
    ...(await checkRights(call)),
    ...(await checkSession(call, given)),
    ...(await checkEndpoint(call, given)),
  ]
}

/** Returns null if the key may not read the account. */
async function findAccount(call: StripeCall): Promise<Account | 'refused' | null> {
  try {
    return await readAccount(call)
  } catch (error) {
    const refusal = error instanceof AccountRefusedError ? error.refusal : null
    if (refusal === 'credentials') return 'refused'
    if (refusal === 'rights') return null
    throw error
  }
}

/** A key that may not read the account is still accepted. */
function keyFindings({ settings }: StripeCall, account: Account | null): Finding[] {
  const accepted = ok('Stripe accepts the key.', { refusal: 'credentials' })
  if (account) return [accepted, ok(`The key belongs to ${account.id}.`)]
  const whose = `Stripe does not tell this key whose it is: it may not read the account (connected_account_read). Give the restricted key this permission, or make sure that it belongs to ${settings.ACCOUNT}.`
  return [accepted, unknown(whose)]
}

function modeFinding({ settings, account }: StripeCall): Finding {
  const mode = modeOfKey(settings.SECRET_KEY)
  return (mode === 'live') === account.live
    ? ok(`It is a ${mode} key, as this world needs it.`)
    : problem(`This is a ${mode} key in the ${account.live ? 'live world' : 'sandbox'}.`)
}

/** Only for real money. A test key takes test payments in any case. */
function chargesFindings({ settings }: StripeCall, account: Account | null): Finding[] {
  if (modeOfKey(settings.SECRET_KEY) !== 'live' || !account) return []
  if (account.charges_enabled)
    return [ok('Stripe has activated this account (charges_enabled).', { refusal: 'account' })]
  return [
    problem(
      'Stripe does not let this account take payments yet. The first page of the Dashboard shows what is missing.',
      { refusal: 'account' },
    ),
  ]
}

const AMOUNT_MINOR = 1_000

/**
 * Opens a real Checkout Session and ends it at once. A new account may refuse every session although its key may open one: it lacks a
 * business name, and Stripe's refusal has no code. Nobody gets the address of the session. Returns nothing if the session was opened
 * and ended.
 */
async function checkSession(call: StripeCall, { callbackUrl }: { callbackUrl: string }): Promise<Finding[]> {
  try {
    const params = {
      mode: 'payment' as const,
      line_items: [
        {
          quantity: 1,
          price_data: { currency: 'usd', unit_amount: AMOUNT_MINOR, product_data: { name: 'account test' } },
        },
      ],
      success_url: callbackUrl,
    }
    const key = keyOfOpening(`account test ${call.now().toISOString()}`)
    const { id } = await askStripe(call, (stripe) => stripe.checkout.sessions.create(params, key))
    await askStripe(call, (stripe) => stripe.checkout.sessions.expire(id))
    return []
  } catch (error) {
    // What the key or the account may not do is found by the other checks.
    if (error instanceof AccountRefusedError) return []
    const refusal = refusalOf(error)
    if (!refusal)
      return [unknown(`Whether Stripe opens a checkout could not be asked: ${(error as Error).message}`)]
    return [
      problem(
        `Stripe opens no checkout for this account: ${describeRefusal(refusal)}. A new account needs a business name first: Settings, Business, in the Dashboard.`,
        { refusal: 'account' },
      ),
    ]
  }
}
