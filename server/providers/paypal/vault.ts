/** Saved PayPal accounts. The buyer approves a setup token. It then becomes a payment token, which can be charged. */
import { z } from 'zod'
import { AccountRefusedError } from '../driver/refusal.ts'
import { readWord } from '../driver/words.ts'
import type { Driver, SavingResult, TokenLookUp, WriteResult } from '../driver.ts'
import { cut, localeOf } from './checkout.ts'
import { memoryOf, remember } from './memory.ts'
import { askPaypal, kindOf, type PaypalAnswer, type PaypalCall, readPaypal, whyRefused } from './request.ts'
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

const PATHS = { saveSetup: '/v3/vault/setup-tokens', saveToken: '/v3/vault/payment-tokens' } as const

/**
 * PayPal may repeat a refusal for the same request id, also when the account is in order again. So the next try has another id. No
 * money moves here: after a restart the first try may only learn of the old refusal.
 */
async function writeToVault(
  call: PaypalCall,
  what: keyof typeof PATHS,
  reference: string,
  body: object,
): Promise<PaypalAnswer> {
  const { refusals } = await memoryOf(call)
  const name = `${what} ${reference}`
  const times = refusals.get(name) ?? 0
  const noteRefusal = () => remember(refusals, name, times + 1)
  try {
    const requestId = paypalRequestId(what, reference, times)
    const answer = await askPaypal(call, { method: 'POST', path: PATHS[what], requestId, body })
    if (answer.kind === 'refused') noteRefusal()
    return answer
  } catch (error) {
    if (error instanceof AccountRefusedError) noteRefusal()
    throw error
  }
}

const tokenPath = (id: string) => `/v3/vault/payment-tokens/${encodeURIComponent(id)}`

export const vaultMembers = {
  async saveToken(call, { reference, merchantName, returnUrl, language }): Promise<SavingResult> {
    const answer = await writeToVault(call, 'saveSetup', reference, {
      payment_source: {
        paypal: {
          usage_type: 'MERCHANT',
          experience_context: {
            ...(merchantName !== '' && { brand_name: cut(merchantName) }),
            ...localeOf(language),
            return_url: returnUrl,
            cancel_url: returnUrl,
            shipping_preference: 'NO_SHIPPING',
          },
        },
      },
    })
    if (answer.kind === 'refused')
      return { kind: 'refused', message: whyRefused(answer), refusal: kindOf(answer) }
    const { id, links, customer } = SetupToken.parse(answer.body)
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
    const saved = await keepToken(call, { setup, reference, customer: customer?.id })
    return saved === null
      ? { kind: 'found', status: 'pending' }
      : { kind: 'found', status: 'active', state: { ...known, token: saved } }
  },

  async revokeToken(call, { state }): Promise<WriteResult> {
    const { token } = vaultStateOf(state)
    // An approval that was not stored expires on its own.
    if (token === undefined) return { kind: 'done' }
    const answer = await askPaypal(call, { method: 'DELETE', path: tokenPath(token) })
    if (answer.kind === 'refused' && answer.status !== 404)
      return { kind: 'refused', message: whyRefused(answer), refusal: 'order' }
    return { kind: 'done' }
  },
} satisfies Pick<Driver<PaypalSettings>, 'saveToken' | 'lookUpToken' | 'revokeToken'>

/**
 * Stores what the buyer has approved. It moves no money and PayPal does it once, so a question may do it. Returns the payment
 * token, or null if it is not known yet.
 */
async function keepToken(
  call: PaypalCall,
  { setup, reference, customer }: { setup: string; reference: string; customer: string | undefined },
): Promise<string | null> {
  const body = { payment_source: { token: { id: setup, type: 'SETUP_TOKEN' } } }
  const answer = await writeToVault(call, 'saveToken', reference, body)
  if (answer.kind === 'ok') return PaymentToken.parse(answer.body).id
  // The account was stored before. The response was lost, and PayPal no longer remembers the request.
  if (customer === undefined) return null
  const all = await readPaypal(call, `/v3/vault/payment-tokens?customer_id=${encodeURIComponent(customer)}`)
  return PaymentTokens.parse(all ?? {}).payment_tokens[0]?.id ?? null
}
