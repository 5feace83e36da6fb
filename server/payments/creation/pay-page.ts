/** The widget's fallback: a product's own hosted page, for buyers without a script. Showing it creates nothing. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { newId } from '../../id.ts'
import {
  findActiveInstallation,
  type InstallationRecord,
  resolveReturnUrl,
} from '../../merchants/installation.ts'
import { findMerchantCached } from '../../merchants/merchant.ts'
import { findProductCached, type ProductRecord } from '../../merchants/product.ts'
import type { PaymentRecord } from '../../storage/payments/payments.ts'
import { OVER_UNPAID } from '../status.ts'
import { sellProduct } from './widget.ts'

const RETURN_URL_MAX_CHARS = 300

/** What a pay page offers. Without a return URL the buyer stays on our own page. */
export type Offer = {
  installation: InstallationRecord
  product: ProductRecord
  merchantName: string
  returnUrl: string | null
  /** For the attempt that a buyer may begin from this very page. */
  freshReference: string
}

/**
 * What the page of this key and product offers; null alike for an unknown or revoked key and an unknown product.
 * `returnUrl`: as the address asks for it. @throws AppError return_url_not_allowed
 */
export async function findOffer(
  ctx: Context,
  {
    publicKey,
    productId,
    returnUrl,
  }: { publicKey: string; productId: string; returnUrl: string | undefined },
): Promise<Offer | null> {
  const installation = await findActiveInstallation(ctx, publicKey)
  if (!installation) return null
  const { merchantId, origins } = installation
  const [product, merchant] = await Promise.all([
    findProductCached(ctx, merchantId, productId),
    findMerchantCached(ctx, merchantId),
  ])
  if (!product || !merchant) return null
  if (returnUrl !== undefined && returnUrl.length > RETURN_URL_MAX_CHARS)
    throw new AppError('return_url_not_allowed')
  const asked = returnUrl === undefined ? null : resolveReturnUrl(returnUrl, { origins, base: undefined })
  return {
    installation,
    product,
    merchantName: merchant.name,
    returnUrl: asked ?? installation.returnUrl,
    freshReference: newId(ctx.world, 'wgt', ctx.clock.now()),
  }
}

/**
 * The buyer confirms the offer. One reference is one attempt: sent twice, or again after it is paid, it is the same payment.
 * @throws AppError of createPayment
 */
export async function acceptOffer(
  ctx: Context,
  { installation, product, returnUrl }: Offer,
  clientReference: string,
): Promise<PaymentRecord> {
  const { payment } = await sellProduct(ctx, installation, {
    product,
    returnUrl,
    clientReference,
    scope: 'POST /pay',
    isReleased: ({ status }) => OVER_UNPAID.includes(status),
  })
  return payment
}
