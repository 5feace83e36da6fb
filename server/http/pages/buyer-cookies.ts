/**
 * The cookies of buyers' browsers. Rule: none of them tells one buyer from another, or one shop of another. They are only of use
 * within half an hour, and in the browser that was there.
 */
import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import { type EarlierSale, findEarlierSale, type Sale } from '../../payments/creation/pay-page.ts'
import type { BuyerCookie, PageEndpoint, Visit } from './page-endpoint.ts'

const HALF_AN_HOUR_SECONDS = 1_800
const SLOT_CHARS = 16

/**
 * Set whenever a buyer leaves our pages. A page that comes back from the browser's cache would still ask for money that is paid by
 * now. Firefox never keeps pages with `no-store`. Chromium keeps them, unless a cookie of theirs has changed since (measured with
 * Chromium 150 and Firefox 140): so this one changes. It holds the time, and nothing reads it.
 */
export function leaving({ clock }: Pick<Context, 'clock'>): BuyerCookie {
  return { name: 'kassa_left', value: clock.now().getTime().toString(36), seconds: HALF_AN_HOUR_SECONDS }
}

/** One cookie for each product, so that no two shops share one. */
const slotOf = ({ merchantId, productId }: Sale): string =>
  createHash('sha256').update(`${merchantId}\n${productId}`).digest('hex').slice(0, SLOT_CHARS)
const cookieOf = (slot: string) => `kassa_open_${slot}`

/** Remembers which payment this browser has begun for the product. */
export function begun(sale: Sale, paymentId: string): BuyerCookie {
  return { name: cookieOf(slotOf(sale)), value: paymentId, seconds: HALF_AN_HOUR_SECONDS }
}

/** `address`: leads to the earlier payment without naming it in the page. */
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
 * Leads to the payment that this browser has begun. No page holds the payment's id, because the length of a compressed page could
 * give it away to a stranger who makes the browser open that page again and again.
 */
export const openSale: PageEndpoint = {
  method: 'get',
  path: '/open/:slot',
  async handle(_ctx, { params, cookies, chosenLocale }) {
    const paymentId = cookies[cookieOf(params.slot ?? '')] ?? ''
    if (!/^pay_[a-z0-9_]{1,60}$/.test(paymentId)) return { kind: 'not_found' }
    return { kind: 'redirect', url: `/checkout/${paymentId}${chosenLocale}` }
  },
}
