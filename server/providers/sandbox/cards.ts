/** The sandbox driver's members for saved cards. */
import { z } from 'zod'
import type { Driver, TokenLookUp } from '../driver.ts'
import { askBank } from './request.ts'
import type { SandboxSettings } from './settings.ts'
import { faultInMetadata } from './wire.ts'

const Opened = z.object({ url: z.url() })
const State = z.object({ state: z.enum(['open', 'saved', 'cancelled', 'expired', 'revoked']) })
const Charged = z.discriminatedUnion('result', [
  z.object({ result: z.literal('done') }),
  z.object({ result: z.literal('refused'), decline: z.enum(['soft', 'hard']), message: z.string() }),
])

const cardPath = (reference: string) => `cards/${encodeURIComponent(reference)}`

const STATUSES = {
  open: 'pending',
  saved: 'active',
  cancelled: 'cancelled',
  expired: 'expired',
  revoked: 'revoked',
} as const satisfies Record<string, Extract<TokenLookUp, { kind: 'found' }>['status']>

/** The only card that buyers of this bank have. */
const CARD = { brand: 'visa', last4: '4242', expiry: '2034-12' }

export const cardMembers = {
  async saveToken(call, { reference, merchantName, returnUrl, callbackUrl, expiresAt }) {
    const body = { reference, merchantName, returnUrl, callbackUrl, expiresAt: expiresAt.toISOString() }
    const answer = await askBank(call, { method: 'PUT', path: cardPath(reference), body })
    return { kind: 'redirect', url: Opened.parse(answer).url }
  },

  async lookUpToken(call, { reference }) {
    const answer = await askBank(call, { method: 'GET', path: cardPath(reference) })
    if (answer === null) return { kind: 'not_found' }
    const status = STATUSES[State.parse(answer).state]
    return { kind: 'found', status, ...(status === 'active' && { state: { card: reference }, card: CARD }) }
  },

  async revokeToken(call, { reference }) {
    const answer = await askBank(call, { method: 'DELETE', path: cardPath(reference) })
    if (answer !== null) State.parse(answer)
    return { kind: 'done' }
  },

  async chargeToken(call, charge) {
    const { reference, merchantName, amountMinor, currency, callbackUrl, metadata, token } = charge
    const fault = faultInMetadata(metadata)
    const body = { reference, merchantName, amountMinor, currency, callbackUrl, ...(fault && { fault }) }
    const path = `${cardPath(token.reference)}/charges`
    const answer = Charged.parse(await askBank(call, { method: 'POST', path, body }))
    const { result } = answer
    return result === 'done' ? { kind: result } : { ...answer, kind: result }
  },
} satisfies Pick<
  Driver<z.infer<typeof SandboxSettings>>,
  'saveToken' | 'lookUpToken' | 'revokeToken' | 'chargeToken'
>
