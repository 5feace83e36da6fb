import type { Context } from '../../context.ts'
import { type Checkout, findCheckout, returnFromProvider } from '../../payments/checkout.ts'
import { checkoutUrl } from '../../payments/view.ts'
import { type CheckoutControl, checkoutPage } from './checkout-page.ts'
import type { PageEndpoint, Visit } from './page-endpoint.ts'

/** The hosted page of one payment, in whatever state it is. Showing it changes nothing. */
export const checkout: PageEndpoint = {
  method: 'get',
  path: '/checkout/:paymentId',
  async handle(ctx, visit) {
    const found = await findCheckout(ctx, visit.params.paymentId ?? '')
    return found ? { kind: 'page', html: renderCheckout(ctx, visit, found) } : { kind: 'not_found' }
  },
}

/** Our own return address: the provider is asked first, then the browser goes on to the merchant. */
export const checkoutReturn: PageEndpoint = {
  method: 'get',
  path: '/checkout/:paymentId/return',
  async handle(ctx, visit) {
    const paymentId = visit.params.paymentId ?? ''
    const url = await returnFromProvider(ctx, paymentId)
    return { kind: 'redirect', url: url ?? checkoutUrl(ctx, encodeURIComponent(paymentId)) }
  },
}

function renderCheckout(
  ctx: Context,
  { locale, localeLinks }: Visit,
  { payment, merchantName }: Checkout,
): string {
  const isManual = payment.provider === 'manual'
  return checkoutPage({
    ...{ locale, localeLinks, mode: ctx.config.mode, merchantName, isManual },
    ...{
      merchantOrderId: payment.merchantOrderId,
      amountMinor: payment.amountMinor,
      currency: payment.currency,
    },
    ...{ status: payment.status, control: controlOf(payment) },
    ...(payment.description && { description: payment.description }),
    ...(payment.returnUrl && { returnUrl: payment.returnUrl }),
    ...(!isManual && { expiresAt: payment.expiresAt.toISOString() }),
  })
}

function controlOf({ providerCheckoutUrl, providerForm }: Checkout['payment']): CheckoutControl {
  if (providerCheckoutUrl) return { kind: 'link', url: providerCheckoutUrl }
  return providerForm ? { kind: 'form', ...providerForm } : { kind: 'none' }
}
