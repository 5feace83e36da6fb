/** The sandbox driver's members for saved cards: as in sandbox.ts, text goes out, and what comes back has to read as an answer. */
import { z } from 'zod'
import type { Driver, ProviderCall, TokenLookUp } from '../driver.ts'
import type { CardRequest, CardState } from './simulator/cards.ts'
import { summonedBy } from './simulator/fault.ts'

const Opened = z.object({ url: z.url() })
const State = z.object({ state: z.enum(['open', 'saved', 'cancelled', 'expired', 'revoked']) })
const Charged = z.discriminatedUnion('result', [
  z.object({ result: z.literal('done') }),
  z.object({ result: z.literal('refused'), decline: z.enum(['soft', 'hard']), message: z.string() }),
])

/** Null: the bank knows no such card. @throws Error for everything that is not an answer of the bank's */
async function ask(call: ProviderCall, path: CardRequest, question: object): Promise<unknown> {
  const { status, text } = await call.cards.request(path, JSON.stringify(question), call.now())
  if (status === 404) return null
  if (status !== 200) throw new Error(`the bank answered ${status}`)
  return JSON.parse(text)
}

const STATUSES = {
  open: 'pending',
  saved: 'active',
  cancelled: 'cancelled',
  expired: 'expired',
  revoked: 'revoked',
} as const satisfies Record<CardState, Extract<TokenLookUp, { kind: 'found' }>['status']>

/** The one card that buyers of this bank have. */
const CARD = { brand: 'visa', last4: '4242', expiry: '2034-12' }

export const cardMembers = {
  async saveToken(call, { reference, merchantName, returnUrl, expiresAt }) {
    const asked = { reference, merchantName, returnUrl, expiresAt: expiresAt.toISOString() }
    return { kind: 'redirect', url: Opened.parse(await ask(call, 'open', asked)).url }
  },

  async lookUpToken(call, { reference }) {
    const answer = await ask(call, 'status', { reference })
    if (answer === null) return { kind: 'not_found' }
    const status = STATUSES[State.parse(answer).state]
    return { kind: 'found', status, ...(status === 'active' && { state: { card: reference }, card: CARD }) }
  },

  async revokeToken(call, { reference }) {
    const answer = await ask(call, 'revoke', { reference })
    if (answer !== null) State.parse(answer)
    return { kind: 'done' }
  },

  async chargeToken(call, charge) {
    const { reference, merchantName, amountMinor, currency, callbackUrl, metadata, token } = charge
    const asked = { reference, card: token.reference, merchantName, amountMinor, currency, callbackUrl }
    const answer = Charged.parse(await ask(call, 'charge', { ...asked, fault: summonedBy(metadata) }))
    const { result } = answer
    return result === 'done' ? { kind: result } : { ...answer, kind: result }
  },
} satisfies Pick<Driver, 'saveToken' | 'lookUpToken' | 'revokeToken' | 'chargeToken'>
