/**
 * Opens a real Checkout Session and ends it at once, because a new account may refuse every session although its key may open one: it
 * lacks a business name, and Stripe's refusal has no code. Nobody gets the address of the session.
 */
import { type Finding, problem, unknown } from '../driver/finding.ts'
import { AccountRefusedError } from '../driver/refusal.ts'
import { askStripe, refusalOf, type StripeCall } from './client.ts'
import { describeRefusal } from './refusals.ts'
import { keyOfOpening } from './request-id.ts'

const AMOUNT_MINOR = 1_000

/** Returns nothing if the session was opened and ended. */
export async function checkSession(
  call: StripeCall,
  { callbackUrl }: { callbackUrl: string },
): Promise<Finding[]> {
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
