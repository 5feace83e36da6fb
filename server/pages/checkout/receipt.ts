/** The receipt of a payment: a page to print or store. In print the links to other pages are left out. */
import type { Mode } from '../../contract/health.ts'
import { cost } from '../../limits/cost.ts'
import { translate } from '../../messages/translate.ts'
import { findCheckout } from '../../payments/creation/checkout.ts'
import { listPrintedReceipts } from '../../payments/receipts/printed.ts'
import { findBrand } from '../brand/brand.ts'
import { shopContact, shopMark } from '../brand/marks.ts'
import { html, type Markup } from '../html.ts'
import { type LocaleLinks, renderPage } from '../page.ts'
import type { PageEndpoint } from '../page-endpoint.ts'
import { findSoldProduct } from '../pay/shown-product.ts'
import { qrCode } from '../qr-code.ts'
import { webAddress } from '../web-address.ts'
import { formatAmount, formatMoment } from '../words/locale.ts'
import { fact, ofOrder, orderOf, type PaymentFacts, takenOf } from './payment-frame.ts'
import { HAS_RECEIPT, paymentView } from './payment-view.ts'

/** A page to print or store: the purchase, the shop, and the fiscal receipts. Anybody who knows the payment's id can see it. */
export const receipt: PageEndpoint = {
  method: 'get',
  path: '/checkout/:paymentId/receipt',
  stranger: { body: 0, once: cost(8, { provider: 1, rows: 1 }), flood: cost(4) },
  async handle(ctx, visit) {
    const found = await findCheckout(ctx, visit.params.paymentId ?? '')
    if (!found) return { kind: 'not_found' }
    const { payment } = found
    if (!HAS_RECEIPT.includes(payment.status))
      return { kind: 'redirect', url: `/checkout/${payment.id}${visit.chosenLocale}` }
    const [brand, product, printed] = await Promise.all([
      findBrand(ctx, payment.merchantId, visit.locale),
      findSoldProduct(ctx, payment, visit.locale),
      listPrintedReceipts(ctx, payment),
    ])
    const receipts = printed.map(({ issuedAt, ...each }) => ({ ...each, issuedAt: issuedAt.toISOString() }))
    const html = receiptPage({ ...paymentView(ctx, visit, found, brand, product), receipts })
    return { kind: 'page', html }
  },
}

/** `issuedAt`: ISO 8601. */
type ShownReceipt = {
  kind: 'sale' | 'refund'
  amountMinor: number
  number: string | null
  url: string | null
  /** Further lines on it, by the register's own labels. */
  printed?: Record<string, string> | null
  /** The text of its QR code. */
  qr?: string | null
  issuedAt: string
}

type ReceiptView = PaymentFacts & {
  mode: Mode
  receipts: readonly ShownReceipt[]
  localeLinks?: LocaleLinks
}

export function receiptPage(view: ReceiptView): string {
  const { locale, mode, merchantName, brand, paymentId = '' } = view
  const body = html`<div class="sheet">
    <header class="shop">
      ${shopMark({ name: merchantName, ...(brand?.logo && { logo: brand.logo }) })}
      <p><span class="label">${translate(locale, 'pages.receiptFrom')}</span> <bdi class="shop-name">${merchantName}</bdi></p>
    </header>
    <main class="slip" data-testid="receipt">
      <div class="slip-head">
        <h1>${translate(locale, 'pages.receiptTitle')}</h1>
        <p class="amount" data-testid="amount">${takenOf(view)}</p>
        ${ofOrder(view)}
      </div>
      ${facts(view)}
      ${view.receipts.length > 0 ? fiscalFacts(view) : null}
      <p class="note not-printed">${translate(locale, 'pages.receiptPrint')}</p>
      <div class="ways"><a class="way" href=${`/checkout/${encodeURIComponent(paymentId)}?${new URLSearchParams({ locale })}`}>${translate(locale, 'pages.receiptBack')}</a></div>
    </main>
    ${shopContact(locale, brand)}
  </div>`
  const title = `${translate(locale, 'pages.receiptTitle')} · ${merchantName}`
  return renderPage({
    locale,
    mode,
    title,
    body,
    brand,
    ...(view.localeLinks && { localeLinks: view.localeLinks }),
  })
}

function facts(view: ReceiptView): Markup {
  const { locale, currency, description, paidAt, refundedMinor, paymentId, brand } = view
  const order = orderOf(view)
  const moment = paidAt && formatMoment(paidAt, locale, { year: true, timeZone: brand?.timeZone })
  return html`<dl class="facts">
    ${description ? fact(translate(locale, 'pages.purpose'), description) : null}
    ${moment ? fact(translate(locale, 'pages.paidAt'), moment) : null}
    ${refundedMinor ? fact(translate(locale, 'pages.refundedAmount'), formatAmount(refundedMinor, currency, locale)) : null}
    ${order ? fact(translate(locale, 'pages.order'), order, 'reference') : null}
    ${paymentId ? fact(translate(locale, 'pages.paymentId'), paymentId, 'payment-id') : null}
  </dl>`
}

/** The cash register's own numbers, which a tax office asks for. */
function fiscalFacts({ locale, currency, receipts, brand }: ReceiptView): Markup {
  return html`<section data-testid="fiscal">
    <h2>${translate(locale, 'pages.fiscal')}</h2>
    ${receipts.map(({ kind, amountMinor, number, url, printed, qr, issuedAt }) => {
      const moment = formatMoment(issuedAt, locale, { year: true, timeZone: brand?.timeZone })
      const address = webAddress(url ?? undefined)
      const title = `${translate(locale, 'pages.fiscal')} ${number ?? ''}`
      return html`<dl class="facts">
        ${fact(translate(locale, kind === 'sale' ? 'pages.receiptSale' : 'pages.receiptRefund'), formatAmount(amountMinor, currency, locale))}
        ${number ? fact(translate(locale, 'pages.receiptNumber'), number, 'reference') : null}
        ${moment ? fact(translate(locale, 'pages.receiptIssued'), moment) : null}
        ${Object.entries(printed ?? {}).map(([label, text]) => fact(label, text))}
        ${address ? html`<div class="long"><dt>${translate(locale, 'pages.receiptUrl')}</dt><dd><a class="way" href=${address} rel="noopener">${address}</a></dd></div>` : null}
      </dl>
      ${qr ? html`<figure class="qr">${qrCode(qr, title)}</figure>` : null}`
    })}
  </section>`
}
