/** The pay pages of the gallery: one price, a quantity, an amount that the buyer chooses, and each problem of a form. */

import type { FormField } from '../../pages/checkout/product-fields.ts'
import { payPage } from '../../pages/pay/pay-page.ts'
import type { PayProblem, PayView } from '../../pages/pay/pay-view.ts'
import { branded, CHOOSING, facts, type Show } from './gallery-facts.ts'

const offer =
  (problem?: PayProblem, changes: Partial<PayView> = {}): Show =>
  (locale, texts) => {
    // An offer has no payment yet, and so no number and no time limit.
    const { merchantOrderId: _, paymentId: __, expiresAt: ___, ...shown } = facts(locale, texts)
    return payPage({
      ...shown,
      action: '/pay/kpk_x/tea',
      token: 'x',
      ...(problem && { problem }),
      ...changes,
    })
  }

const PRODUCT = {
  text: 'Ձեռքով քաղված լեռնային ուրց։ 100 գ, ստվարաթղթե տուփով։',
  picture: { address: '/pictures/tea.webp', width: 1000, height: 600, ground: 'light' as const },
}
const CHOICE: Partial<PayView> = {
  amountMinor: 200_000,
  choice: {
    minMinor: 50_000,
    maxMinor: 50_000_000,
    stepMinor: 10_000,
    suggestedMinor: [100_000, 200_000, 500_000, 1_000_000],
  },
}

const FIELDS: FormField[] = [
  { field: 'name', label: 'Անուն', isRequired: true, typed: '' },
  { field: 'phone', label: 'Հեռախոս', isRequired: false, typed: '' },
  { field: 'address', label: 'Առաքման հասցե', isRequired: true, typed: '' },
]
/** As a refused form shows them again. */
export const REFUSED_FIELDS: FormField[] = FIELDS.map((each) =>
  each.field === 'phone' ? { ...each, typed: '12', problem: 'pages.fieldPhone' } : { ...each, typed: 'Ani' },
)

export const PAY_GALLERY: Record<string, Show> = {
  'pay-open': offer(),
  'pay-product': offer(undefined, { product: PRODUCT }),
  'pay-quantity': offer(undefined, { product: PRODUCT, maxQuantity: 6, amountMinor: 190_000 }),
  'pay-choice': offer(undefined, { ...CHOICE }),
  'pay-choice-refused': offer('amount', { ...CHOICE, typed: { amount: '1' } }),
  'pay-quantity-refused': offer('quantity', {
    product: PRODUCT,
    maxQuantity: 6,
    amountMinor: 190_000,
    typed: { quantity: '3' },
  }),
  'pay-routes': offer(undefined, { product: PRODUCT, leadsTo: 'choice', routes: CHOOSING.options }),
  'pay-email': offer(undefined, { product: PRODUCT, email: {} }),
  'pay-email-refused': offer('email', { email: { isWrong: true, typed: 'ani@example' } }),
  'pay-email-quantity': offer(undefined, { maxQuantity: 6, amountMinor: 190_000, email: {} }),
  'pay-email-choice': offer(undefined, { ...CHOICE, email: {} }),
  'pay-fields': offer(undefined, { product: PRODUCT, fields: FIELDS }),
  'pay-fields-refused': offer('fields', { product: PRODUCT, fields: REFUSED_FIELDS }),
  'pay-begun': offer(undefined, { earlier: { isPaid: false, address: '/open/0123456789abcdef' } }),
  'pay-branded': branded('#767676', (brand) => offer(undefined, brand)),
  'pay-foreign': offer('foreign'),
  'pay-stale': offer('stale'),
  'pay-changed': offer('changed'),
}
