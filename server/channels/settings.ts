/**
 * The settings that a site builder or a shop platform needs to sell through Kassa: addresses, the public key, products.
 * Rule: everything here may be public. So it contains no token, no secret, and no id of a merchant or a route.
 */
import type { Context } from '../context.ts'
import type { CurrencyCode } from '../contract/fields.ts'
import type { Texts } from '../merchants/branding.ts'
import type { InstallationRecord } from '../merchants/installation.ts'
import { getMerchant } from '../merchants/merchant.ts'
import type { ProductRecord } from '../merchants/product.ts'
import { hasPlainReturn } from '../storage/payments/payments.ts'

export type ChannelProduct = {
  id: string
  name: string
  amountMinor: number
  currency: CurrencyCode
  /** The names in the languages of the pages, where they differ. */
  names?: Texts
  /** True where the buyer chooses the amount: such a product has a pay link, and no button. */
  isAmountChosen?: true
  /** Set where the buyer chooses how many, on the hosted page. The button sells one. */
  maxQuantity?: number
  /** The address of the product's hosted page, for sites that cannot run a script. */
  payUrl: string
}

/** One version of the widget. Its address never changes, and `integrity` is the hash that pins it. */
export type PinnedScript = { version: string; scriptUrl: string; integrity: string }

export type ChannelSettings = {
  merchantName: string
  publicKey: string
  /** The origin that the widget sends its requests to. */
  apiOrigin: string
  /** `pinned`: null if the widget is not built. `moving`: always the current version. */
  script: { pinned: PinnedScript | null; moving: string; versions: string }
  origins: string[]
  returnUrl: string | null
  /** The sources that a page's content security policy must allow. */
  policy: Record<'script-src' | 'connect-src', string>
  products: ChannelProduct[]
  /** Set if a live payment of the shop's own program lately brought its buyer back without https. */
  hasPlainReturn?: true
}

/** How many of the newest payments are looked at. */
const RETURNS_LOOKED_AT = 20

/** `products`: those that are offered. @throws AppError not_found for an unknown merchant */
export async function describeChannel(
  ctx: Context,
  { merchantId, publicKey, origins, returnUrl }: InstallationRecord,
  { pinned, products }: { pinned: PinnedScript | undefined; products: readonly ProductRecord[] },
): Promise<ChannelSettings> {
  const [{ name: merchantName }, isPlain] = await Promise.all([
    getMerchant(ctx, merchantId),
    ctx.world === 'live' && hasPlainReturn(ctx.db, merchantId, RETURNS_LOOKED_AT),
  ])
  const { origin: apiOrigin } = new URL(ctx.baseUrl)
  return {
    merchantName,
    publicKey,
    apiOrigin,
    origins,
    returnUrl,
    script: {
      pinned: pinned ?? null,
      moving: `${ctx.baseUrl}/widget/v1/kassa.js`,
      versions: `${ctx.baseUrl}/widget/versions.json`,
    },
    policy: { 'script-src': apiOrigin, 'connect-src': apiOrigin },
    products: products.map(({ id, name, display, choice, maxQuantity = 1, amountMinor, currency }) => ({
      id,
      name,
      ...(display?.names && { names: display.names }),
      ...(choice && { isAmountChosen: true as const }),
      ...(maxQuantity > 1 && { maxQuantity }),
      amountMinor,
      currency,
      payUrl: payUrl(ctx, publicKey, id),
    })),
    ...(isPlain && { hasPlainReturn: true }),
  }
}

/** The address of a product's hosted page. */
export function payUrl({ baseUrl }: Pick<Context, 'baseUrl'>, publicKey: string, productId: string): string {
  return `${baseUrl}/pay/${encodeURIComponent(publicKey)}/${encodeURIComponent(productId)}`
}
