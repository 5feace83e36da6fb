/**
 * A click on the widget's button creates a checkout. The page only names a product. The installation, its exact origins and the
 * product registry decide everything else.
 */

import type { Context } from '../../context.ts'
import type { WidgetCheckoutRequest, WidgetCheckoutResponse } from '../../contract/widget.ts'
import { AppError } from '../../errors.ts'
import { newId } from '../../id.ts'
import { authorizeInstallation, resolveReturnUrl } from '../../merchants/installation.ts'
import { findProductCached, type ProductRecord } from '../../merchants/product.ts'
import { mayBeSold, type SaleTerms } from '../../merchants/sale-terms.ts'
import { translate } from '../../messages/translate.ts'
import type { Language } from '../../storage/merchants/branding.ts'
import type { InstallationRecord } from '../../storage/merchants/installations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { isCardTesting, rememberOpening } from '../attempts/card-testing.ts'
import { fingerprint } from '../idempotency.ts'
import { isOpen } from '../status.ts'
import { checkoutUrl } from '../view.ts'
import { BUTTON_MARK, buttonMark } from './button-mark.ts'
import { type Buyer, withAnswers } from './buyer.ts'
import { createPayment } from './create.ts'

/**
 * Creates the checkout for one click, or replays it.
 * @throws AppError origin_missing, widget_key_invalid, origin_not_trusted, return_url_not_allowed, product_unknown,
 *   amount_chosen_by_buyer, and those of createPayment
 */
export async function createWidgetCheckout(
  ctx: Context,
  {
    request,
    origin,
    locale,
    address,
  }: {
    request: WidgetCheckoutRequest
    origin: string | undefined
    locale: Language | null
    address: string
  },
): Promise<WidgetCheckoutResponse> {
  const { publicKey, productId, clientReference } = request
  const installation = await authorizeInstallation(ctx, publicKey, origin)
  const { merchantId } = installation
  const returnUrl = returnUrlOf(installation, request.returnUrl, origin)
  const product = await findProductCached(ctx, merchantId, productId)
  if (!product) {
    const installPage = `${ctx.baseUrl}/install/${publicKey}`
    throw new AppError('product_unknown', {
      errors: {
        productId: translate('en', 'errors.product.unknown', { productId, installPage }),
      },
    })
  }

  if (product.choice)
    throw new AppError('amount_chosen_by_buyer', {
      errors: {
        productId: translate('en', 'errors.product.chosen', {
          page: `${ctx.baseUrl}/pay/${publicKey}/${encodeURIComponent(productId)}`,
        }),
      },
    })
  const { payment, created } = await sellProduct(ctx, installation, {
    product,
    returnUrl,
    pageOrigin: origin,
    buyer: { locale },
    address,
    clientReference,
    scope: 'POST /api/widget/checkout',
    // A client reference finds its payment only while that payment is open. After that, a click is a new purchase.
    isReleased: (payment) => !isOpen(payment.status) && !payment.attempt.underWaySince,
  })
  return {
    ok: true,
    created,
    paymentId: payment.id,
    checkoutUrl: addressFor(ctx, installation, payment, origin),
    status: payment.status,
    amountMinor: payment.amountMinor,
    currency: payment.currency,
    product: { id: product.id, name: product.name },
    expiresAt: payment.expiresAt.toISOString(),
  }
}

/** The button adds its language to the query of the address, so the mark can be in the query too. */
function addressFor(
  ctx: Context,
  { skipsCheckout }: InstallationRecord,
  payment: AttemptedPayment,
  origin: string | undefined,
): string {
  const address = checkoutUrl(ctx, payment.id)
  if (!skipsCheckout || origin === undefined) return address
  return `${address}?${new URLSearchParams({ [BUTTON_MARK]: buttonMark(ctx, payment, origin) })}`
}

const PAUSE_SECONDS = 60

/**
 * Creates the payment for a product that is bought at an installation, or finds it by its client reference.
 * @throws AppError those of createPayment
 */
export async function sellProduct(
  ctx: Context,
  { merchantId, id, provider, shopUrl }: InstallationRecord,
  sale: {
    product: ProductRecord
    /** Null: one, at the registry's price. */
    terms?: SaleTerms | null
    returnUrl: string | null
    /** The origin of the page with the button; undefined for our own pay page. */
    pageOrigin?: string | undefined
    buyer: Pick<Buyer, 'email' | 'answers'> & { locale: Language | null }
    /** The buyer's IP address. */
    address: string
    clientReference: string
    /** The client reference is unique within this scope and the installation. */
    scope: string
    isReleased(payment: AttemptedPayment): boolean
  },
): Promise<{ payment: AttemptedPayment; created: boolean }> {
  const { product, returnUrl, pageOrigin, clientReference, isReleased, terms } = sale
  const { locale, answers } = sale.buyer
  const productId = product.id
  const { amountMinor, quantity } = terms ?? { amountMinor: product.amountMinor, quantity: 1 }
  if (!mayBeSold(product, { amountMinor, quantity })) throw new AppError('validation_failed')
  // The same answer as for too many requests, so that a card tester learns nothing.
  if (await isCardTesting(ctx, { merchantId, address: sale.address }))
    throw new AppError('rate_limited', { retryAfterSeconds: PAUSE_SECONDS })
  const claim = {
    merchantId,
    scope: `${sale.scope} ${id}`,
    key: clientReference,
    keyField: 'clientReference',
    fingerprint: fingerprint({ productId, returnUrl, ...(terms && { amountMinor, quantity }) }),
    isReleased,
    outlivesRetention: true as const,
  }
  const own = { source: 'widget', productId, clientReference, ...(quantity > 1 && { quantity }) }
  const { customer, metadata } = withAnswers({ customer: null, metadata: own }, sale.buyer, false)
  const sold = await createPayment(ctx, claim, {
    merchantId,
    merchantOrderId: newId(ctx.world, 'wgt', merchantId, ctx.clock.now()),
    description: quantity > 1 ? `${product.name} × ${quantity}` : product.name,
    returnUrl,
    shopUrl: shopUrl ?? startPage(pageOrigin ?? returnUrl),
    amountMinor: amountMinor * quantity,
    amountField: 'productId',
    currency: product.currency,
    provider: product.provider ?? provider ?? undefined,
    locale,
    ...(customer && { customer }),
    ...(metadata && { metadata }),
    sold: { productId, quantity },
    // A button has no form of its own, so the payment's page asks.
    asksFirst: answers === undefined && Object.keys(product.display?.fields ?? {}).length > 0,
  })
  rememberOpening(ctx, sale.address, sold.payment.id)
  return sold
}

const startPage = (address: string | null) => (address === null ? null : new URL('/', address).href)

function returnUrlOf(
  installation: InstallationRecord,
  requested: string | undefined,
  origin: string | undefined,
): string {
  const returnUrl = requested ?? installation.returnUrl
  if (returnUrl === null)
    throw new AppError('validation_failed', {
      errors: { returnUrl: translate('en', 'errors.returnUrl.none') },
    })
  return resolveReturnUrl(returnUrl, { origins: installation.origins, base: origin })
}
