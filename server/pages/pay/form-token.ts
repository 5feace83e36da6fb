/**
 * The token of a pay page's form. It is signed, expires soon, and is valid only for the offer of that page. It contains the
 * reference of one attempt, so that the same form sent twice makes one payment.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Offer } from '../../payments/creation/pay-page.ts'

const LASTS_MS = 30 * 60_000
const PURPOSE = 'pay-page'

/** `changed`: the offer has another price now. `stale`: too old, or not ours. */
export type TokenReading = { kind: 'good'; reference: string } | { kind: 'changed' | 'stale' }

export function issueToken(ctx: Context, offer: Offer): string {
  const { amountMinor, currency } = offer.product
  const terms = [offer.freshReference, ctx.clock.now().getTime(), amountMinor, currency, limitsOf(offer)]
  const text = terms.join('.')
  return `${text}.${seal(ctx, offer, text)}`
}

export function readToken(ctx: Context, offer: Offer, token: string): TokenReading {
  const cut = token.lastIndexOf('.')
  const text = token.slice(0, Math.max(cut, 0))
  const [given, expected] = [Buffer.from(token.slice(cut + 1)), Buffer.from(seal(ctx, offer, text))]
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return { kind: 'stale' }
  const [reference = '', issuedAt, amountMinor, currency, limits] = text.split('.')
  if (ctx.clock.now().getTime() >= Number(issuedAt) + LASTS_MS) return { kind: 'stale' }
  const { product } = offer
  const isSame =
    Number(amountMinor) === product.amountMinor && currency === product.currency && limits === limitsOf(offer)
  return isSame ? { kind: 'good', reference } : { kind: 'changed' }
}

/** The limits of the buyer's choice in one text. Other limits are another offer. */
function limitsOf({ product: { choice, maxQuantity = 1 } }: Offer): string {
  const { minMinor, maxMinor, stepMinor } = choice ?? {}
  return choice ? `${minMinor}-${maxMinor}-${stepMinor}` : `x${maxQuantity}`
}

function seal(ctx: Context, { installation, product, returnUrl }: Offer, text: string): string {
  const content = JSON.stringify([installation.id, product.id, returnUrl, text])
  return createHmac('sha256', ctx.vault.derive(PURPOSE)).update(content).digest('base64url')
}
