/**
 * The cookies of buyers' browsers.
 * Rule: no cookie can tell one buyer or one shop from another. Each is useful only for half an hour, and only in the browser
 * that was there.
 */
import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'
import { FREE } from '../limits/cost.ts'
import { type EarlierSale, findEarlierSale, type Sale } from '../payments/creation/pay-page.ts'
import type { BuyerCookie, PageEndpoint, Visit } from './page-endpoint.ts'

const HALF_AN_HOUR_SECONDS = 1_800
const SLOT_CHARS = 16
/** A cookie can have any value. */
export const PAYMENT_ID = /^pay_[a-z0-9_]{1,60}$/

/**
 * Set whenever a buyer leaves our pages. A page from the browser's back/forward cache would still ask for money for a payment
 * that has been paid since. Firefox never caches pages with `no-store` there. Chromium caches them unless one of their cookies
 * has changed since (measured with Chromium 150 and Firefox 140), so this cookie changes each time. Its value is the time.
 * Nothing reads it.
 */
export function leaving({ clock }: Pick<Context, 'clock'>): BuyerCookie {
  return { name: 'kassa_left', value: clock.now().getTime().toString(36), seconds: HALF_AN_HOUR_SECONDS }
}

/** Stores which payment this browser went to pay last, for providers that send every buyer back to the same address. */
export const PAYING = 'kassa_paying'
export function paying(paymentId: string): BuyerCookie {
  return { name: PAYING, value: paymentId, seconds: HALF_AN_HOUR_SECONDS }
}

/** One cookie for each product, so that two shops never share one. */
const slotOf = ({ merchantId, productId }: Sale): string =>
  createHash('sha256').update(`${merchantId}\n${productId}`).digest('hex').slice(0, SLOT_CHARS)
const cookieOf = (slot: string) => `kassa_open_${slot}`

/** Stores which payment this browser has begun for the product. */
export function begun(sale: Sale, paymentId: string): BuyerCookie {
  return { name: cookieOf(slotOf(sale)), value: paymentId, seconds: HALF_AN_HOUR_SECONDS }
}

/** `address`: leads to the earlier payment. The page does not contain the payment's id. */
export type Earlier = EarlierSale & { address: string }

/** Returns another payment that this browser has begun for the same product, if it is still open or was paid just now. */
export async function findEarlier(
  ctx: Context,
  { cookies }: Pick<Visit, 'cookies'>,
  sale: Sale | null,
  paymentId?: string,
): Promise<Earlier | null> {
  if (!sale) return null
  const slot = slotOf(sale)
  const known = cookies[cookieOf(slot)]
  if (!known || known === paymentId) return null
  const earlier = await findEarlierSale(ctx, known, sale)
  return earlier && { ...earlier, address: `/open/${slot}` }
}

/**
 * Redirects to the payment that this browser has begun. No page contains the payment's id. The length of a compressed page
 * could reveal the id to a stranger who makes the browser open that page many times.
 */
export const openSale: PageEndpoint = {
  method: 'get',
  path: '/open/:slot',
  stranger: { body: 0, once: FREE, flood: FREE },
  async handle(_ctx, { params, cookies, chosenLocale }) {
    const paymentId = cookies[cookieOf(params.slot ?? '')] ?? ''
    if (!PAYMENT_ID.test(paymentId)) return { kind: 'not_found' }
    return { kind: 'redirect', url: `/checkout/${paymentId}${chosenLocale}` }
  },
}
