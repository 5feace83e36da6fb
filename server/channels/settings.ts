/**
 * What a site builder or a shop platform needs in order to sell through Kassa, and nothing else: addresses, the public
 * key, products. Law: no token, no secret, no merchant's or route's id ever stands here; all of it may be public.
 */
import type { Context } from '../context.ts'
import type { CurrencyCode } from '../contract/fields.ts'
import type { InstallationRecord } from '../merchants/installation.ts'
import { getMerchant } from '../merchants/merchant.ts'
import { listProducts } from '../merchants/product.ts'

export type ChannelProduct = {
  id: string
  name: string
  amountMinor: number
  currency: CurrencyCode
  /** The product's own hosted page: a plain link, for where no script may run. */
  payUrl: string
}

/** One version of the widget, for ever under this address; `integrity` is what pins it. */
export type PinnedScript = { version: string; scriptUrl: string; integrity: string }

export type ChannelSettings = {
  merchantName: string
  publicKey: string
  /** Where the widget asks for a checkout. */
  apiOrigin: string
  /** `pinned`: null where the widget is not built. `moving`: always the current version. */
  script: { pinned: PinnedScript | null; moving: string; versions: string }
  origins: string[]
  returnUrl: string | null
  /** What a page with a content security policy has to add. */
  policy: Record<'script-src' | 'connect-src', string>
  products: ChannelProduct[]
}

/** @throws AppError not_found for no such merchant */
export async function describeChannel(
  ctx: Context,
  { merchantId, publicKey, origins, returnUrl }: InstallationRecord,
  pinned: PinnedScript | undefined,
): Promise<ChannelSettings> {
  const [{ name: merchantName }, products] = await Promise.all([
    getMerchant(ctx, merchantId),
    listProducts(ctx, merchantId),
  ])
  const { origin: apiOrigin } = new URL(ctx.baseUrl)
  const payUrl = (id: string) =>
    `${ctx.baseUrl}/pay/${encodeURIComponent(publicKey)}/${encodeURIComponent(id)}`
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
    products: products.map(({ id, name, amountMinor, currency }) => ({
      id,
      name,
      amountMinor,
      currency,
      payUrl: payUrl(id),
    })),
  }
}
