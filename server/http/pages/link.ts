import type { Context } from '../../context.ts'
import { findLink, type Link, linkUrl } from '../../payments/link.ts'
import { checkoutUrl } from '../../payments/view.ts'
import { linkPage } from './link-page.ts'
import type { PageEndpoint, Visit } from './page-endpoint.ts'

/** The hosted page of a payment link. Showing it changes nothing. */
export const link: PageEndpoint = {
  method: 'get',
  path: '/link/:linkId',
  async handle(ctx, visit) {
    const found = await findLink(ctx, visit.params.linkId ?? '')
    return found ? { kind: 'page', html: renderLink(ctx, visit, found) } : { kind: 'not_found' }
  },
}

function renderLink(ctx: Context, visit: Visit, { payment, merchantName, isOver }: Link): string {
  const { locale, localeLinks } = visit
  // A language that the buyer chose here is kept on the way; the browser's own is negotiated anew by every page.
  const chosen = visit.query.locale === undefined ? '' : `?${new URLSearchParams({ locale })}`
  const { merchantOrderId, amountMinor, currency, status } = payment
  return linkPage({
    ...{ locale, localeLinks, mode: ctx.config.mode, merchantName, isOver },
    ...{ merchantOrderId, amountMinor, currency, status },
    ...(payment.description && { description: payment.description }),
    ...(payment.returnUrl && { returnUrl: payment.returnUrl }),
    isManual: payment.provider === 'manual',
    expiresAt: payment.expiresAt.toISOString(),
    paymentUrl: linkUrl(ctx, payment.id),
    checkoutUrl: `${checkoutUrl(ctx, payment.id)}${chosen}`,
  })
}
