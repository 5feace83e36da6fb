/**
 * What a buyer can do after a page that shows only a message: go back to the shop, look at the payment, or ask the shop.
 * Rule: the page from which the buyer came counts as a shop only if an installation lists its origin. Otherwise *Back to the
 * shop* could lead to any address. An unknown or revoked key names no shop. An active one does: the shop's own pages carry it.
 */
import type { Context } from '../context.ts'
import { findActiveInstallation, isOriginKnown } from '../merchants/installation.ts'
import { findCheckoutPayment } from '../payments/creation/checkout.ts'
import { shopUrl } from '../payments/creation/shop-address.ts'
import { type Brand, findBrand } from './brand/brand.ts'
import type { MessageKind } from './message-page.ts'
import type { Locale } from './words/locale.ts'

/** `paymentUrl`: the page with the payment's status. */
export type NextStep = { brand?: Brand; backUrl?: string; paymentUrl?: string }

type VisitOrigin = { locale: Locale; params?: Record<string, string>; referrer?: string | undefined }

/** Never throws, because an error page must not fail. */
export async function findNextStep(ctx: Context, kind: MessageKind, coming: VisitOrigin): Promise<NextStep> {
  // A caller above the rate limit gets no look-ups, and one without https reads nothing of a payment.
  if (kind === 'busy' || kind === 'https_required') return {}
  try {
    return (
      (await ofPayment(ctx, coming)) ?? (await ofKey(ctx, kind, coming)) ?? (await ofReferrer(ctx, coming))
    )
  } catch {
    return {}
  }
}

async function ofPayment(ctx: Context, { params, locale }: VisitOrigin): Promise<NextStep | null> {
  const payment = params?.paymentId ? await findCheckoutPayment(ctx, params.paymentId) : null
  if (!payment) return null
  const backUrl = shopUrl(payment)
  return {
    brand: await findBrand(ctx, payment.merchantId, locale),
    paymentUrl: `/checkout/${payment.id}?${new URLSearchParams({ locale })}`,
    ...(backUrl && { backUrl }),
  }
}

const OF_KEY: readonly MessageKind[] = ['return_refused', 'not_offered']

async function ofKey(
  ctx: Context,
  kind: MessageKind,
  { params, locale }: VisitOrigin,
): Promise<NextStep | null> {
  if (!OF_KEY.includes(kind) || !params?.publicKey) return null
  const installation = await findActiveInstallation(ctx, params.publicKey)
  if (!installation) return null
  const backUrl = installation.shopUrl ?? installation.origins[0]
  return { brand: await findBrand(ctx, installation.merchantId, locale), ...(backUrl && { backUrl }) }
}

async function ofReferrer(ctx: Context, { referrer }: VisitOrigin): Promise<NextStep> {
  if (!referrer || !URL.canParse(referrer)) return {}
  const { origin } = new URL(referrer)
  return (await isOriginKnown(ctx, origin)) ? { backUrl: `${origin}/` } : {}
}
