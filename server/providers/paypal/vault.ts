/** Saved PayPal accounts. The buyer approves a setup token. It then becomes a payment token, which can be charged. */
import { z } from 'zod'
import { readWord } from '../driver/words.ts'
import type { Driver, SavingResult, TokenLookUp, WriteResult } from '../driver.ts'
import { cut } from './checkout.ts'
import { askPaypal, kindOf, type PaypalCall, readPaypal, whyRefused } from './request.ts'
import { paypalRequestId } from './request-id.ts'
import { isOfPaypal, type PaypalSettings } from './settings.ts'
import { PaymentToken, PaymentTokens, SetupToken } from './wire.ts'
import { SETUP_WORDS } from './words.ts'

/** `customer`: PayPal's own id of the buyer, made for this one saving. */
const VaultState = z.object({
  setup: z.string().optional(),
  token: z.string().optional(),
  customer: z.string().optional(),
})
type VaultState = z.infer<typeof VaultState>

export function vaultStateOf(state: unknown): VaultState {
  return VaultState.safeParse(state).data ?? {}
}

const tokenPath = (id: string) => `/v3/vault/payment-tokens/${encodeURIComponent(id)}`

export const vaultMembers = {
  async saveToken(call, { reference, merchantName, returnUrl }): Promise<SavingResult> {
    const said = await askPaypal(call, {
      method: 'POST',
      path: '/v3/vault/setup-tokens',
      requestId: paypalRequestId('saveSetup', reference),
      body: {
        payment_source: {
          paypal: {
            usage_type: 'MERCHANT',
            experience_context: {
              ...(merchantName !== '' && { brand_name: cut(merchantName) }),
              return_url: returnUrl,
              cancel_url: returnUrl,
              shipping_preference: 'NO_SHIPPING',
            },
          },
        },
      },
    })
    if (said.kind === 'refused') return { kind: 'refused', message: whyRefused(said), refusal: kindOf(said) }
    const { id, links, customer } = SetupToken.parse(said.body)
    const page = links.find(({ rel }) => rel === 'approve')?.href
    if (page === undefined || !isOfPaypal(call.settings, page))
      return { kind: 'unknown', message: 'PayPal named no page for the buyer' }
    const state: VaultState = { setup: id, ...(customer && { customer: customer.id }) }
    return { kind: 'redirect', url: page, state }
  },

  async lookUpToken(call, { reference, state }): Promise<TokenLookUp> {
    const known = vaultStateOf(state)
    const { setup, token } = known
    if (token !== undefined) {
      const found = await readPaypal(call, tokenPath(token))
      if (found === null) return { kind: 'found', status: 'revoked' }
      const { id, status } = PaymentToken.parse(found)
      if (status !== undefined) readWord(call, 'payment token status', SETUP_WORDS, status, 'approved')
      return { kind: 'found', status: 'active', state: { ...known, token: id } }
    }
    // We do not have the page's id, so the buyer was never sent there.
    if (setup === undefined) return { kind: 'not_found' }
    const body = await readPaypal(call, `/v3/vault/setup-tokens/${encodeURIComponent(setup)}`)
    if (body === null) return { kind: 'found', status: 'expired' }
    const { status, customer } = SetupToken.parse(body)
    if (readWord(call, 'setup token status', SETUP_WORDS, status, 'waiting') === 'waiting')
      return { kind: 'found', status: 'pending' }
    const saved = await keep(call, { setup, reference, customer: customer?.id })
    return saved === null
      ? { kind: 'found', status: 'pending' }
      : { kind: 'found', status: 'active', state: { ...known, token: saved } }
  },

  async revokeToken(call, { state }): Promise<WriteResult> {
    const { token } = vaultStateOf(state)
    // An approval that was not stored expires on its own.
    if (token === undefined) return { kind: 'done' }
    const said = await askPaypal(call, { method: 'DELETE', path: tokenPath(token) })
    if (said.kind === 'refused' && said.status !== 404)
      return { kind: 'refused', message: whyRefused(said), refusal: 'order' }
    return { kind: 'done' }
  },
} satisfies Pick<Driver<PaypalSettings>, 'saveToken' | 'lookUpToken' | 'revokeToken'>

/**
 * Stores what the buyer has approved. It moves no money and PayPal does it once, so a question may do it. Returns the payment
 * token, or null if it is not known yet.
 */
async function keep(
  call: PaypalCall,
  { setup, reference, customer }: { setup: string; reference: string; customer: string | undefined },
): Promise<string | null> {
  const said = await askPaypal(call, {
    method: 'POST',
    path: '/v3/vault/payment-tokens',
    requestId: paypalRequestId('saveToken', reference),
    body: { payment_source: { token: { id: setup, type: 'SETUP_TOKEN' } } },
  })
  if (said.kind === 'ok') return PaymentToken.parse(said.body).id
  // The account was stored before. The response was lost, and PayPal no longer remembers the request.
  if (customer === undefined) return null
  const all = await readPaypal(call, `/v3/vault/payment-tokens?customer_id=${encodeURIComponent(customer)}`)
  return PaymentTokens.parse(all ?? {}).payment_tokens[0]?.id ?? null
}
