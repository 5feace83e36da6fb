import { cost } from '../../limits/cost.ts'
import { findCheckout } from '../../payments/creation/checkout.ts'
import { listPrintedReceipts } from '../../payments/receipts/printed.ts'
import { findBrand } from '../brand/brand.ts'
import type { PageEndpoint } from '../page-endpoint.ts'
import { findSoldProduct } from '../pay/shown-product.ts'
import { HAS_RECEIPT, paymentView } from './payment-view.ts'
import { receiptPage } from './receipt-page.ts'

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
