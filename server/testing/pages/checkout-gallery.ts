/** The checkout, link and receipt pages of the gallery: each status, and each message that a page can show. */
import { PAYMENT_STATUSES } from '../../contract/payment.ts'
import { type CheckoutView, checkoutPage } from '../../pages/checkout/checkout-page.ts'
import { type LinkView, linkPage } from '../../pages/checkout/link.ts'
import { lookAgain } from '../../pages/checkout/look-again.ts'
import { receiptPage } from '../../pages/checkout/receipt.ts'
import { ADDRESS, AMOUNTS, branded, CHOOSING, facts, MOMENT, type Show } from './gallery-facts.ts'
import { REFUSED_FIELDS } from './pay-gallery.ts'

const checkout =
  (changes: Partial<CheckoutView>): Show =>
  (locale, texts) =>
    checkoutPage({
      ...facts(locale, texts),
      control: { kind: 'form', action: ADDRESS, fields: {} },
      address: ADDRESS,
      ...changes,
    })
const link =
  (changes: Partial<LinkView>): Show =>
  (locale, texts) => {
    const addresses = { paymentUrl: ADDRESS, checkoutUrl: ADDRESS, action: ADDRESS }
    const terms = { status: 'pending_redirect' as const, isOver: false, isManual: false }
    return linkPage({ ...facts(locale, texts), ...addresses, ...terms, ...changes })
  }

const RECEIPT = {
  status: 'partially_refunded' as const,
  paidAt: MOMENT,
  refundedMinor: 4_500_000,
  receipts: [
    {
      kind: 'sale' as const,
      amountMinor: AMOUNTS.amountMinor,
      number: '1024',
      url: 'https://tax.example/r/1024',
      issuedAt: MOMENT,
    },
    { kind: 'refund' as const, amountMinor: 4_500_000, number: '1031', url: null, issuedAt: MOMENT },
  ],
}

const STOPPED = lookAgain('/', { looked: 'off' })
const other = { ...AMOUNTS, at: MOMENT }
const form = { kind: 'form', action: '/go', fields: { EDP_BILL_NO: '1' } } as const
const receipts: Partial<CheckoutView> = {
  paidAt: MOMENT,
  fiscalStatus: 'issued',
  receiptAddress: `${ADDRESS}/receipt`,
}
const RECEIPTS = ['authorized', 'paid', 'reversed', 'partially_refunded', 'refunded', 'disputed']
const REFUNDED: Record<string, number> = { partially_refunded: 4_500_000, refunded: AMOUNTS.amountMinor }

export const CHECKOUT_GALLERY: Record<string, Show> = {
  ...Object.fromEntries(
    PAYMENT_STATUSES.map((status) => {
      const refundedMinor = REFUNDED[status] ?? 0
      const shown = { status, refundedMinor, ...(RECEIPTS.includes(status) && receipts) }
      return [`checkout-${status}`, checkout(shown)]
    }),
  ),
  'checkout-paid-part': checkout({ status: 'paid', takenMinor: 4_500_000, ...receipts }),
  'checkout-reversed-lost': checkout({ status: 'reversed', refundedMinor: AMOUNTS.amountMinor }),
  'checkout-form': checkout({ status: 'pending_redirect', control: form }),
  ...Object.fromEntries(
    (['ask_another_card', 'try_later', 'ask_bank', 'technical', undefined] as const).map(
      (declineCategory) => [
        `checkout-again-${declineCategory ?? 'declined'}`,
        checkout({ status: 'pending_payment', ended: { state: 'declined', declineCategory } }),
      ],
    ),
  ),
  ...Object.fromEntries(
    (['expired', 'refused', 'withdrawn'] as const).map((state) => [
      `checkout-again-${state}`,
      checkout({ status: 'pending_payment', ended: { state, declineCategory: undefined } }),
    ]),
  ),
  'checkout-failed-why': checkout({ status: 'failed', declineCategory: 'ask_bank' }),
  'checkout-unavailable': checkout({ status: 'created', isUnavailable: true }),
  'checkout-processing': checkout({ status: 'pending_payment', control: { kind: 'none' } }),
  'checkout-manual': checkout({ status: 'pending_redirect', isManual: true, lookAgain: STOPPED }),
  'checkout-transfer': checkout({
    status: 'pending_redirect',
    isManual: true,
    lookAgain: STOPPED,
    currency: 'EUR',
    transfer: {
      account: {
        recipient: 'Teahouse LLC',
        bank: 'Deutsche Bank',
        number: 'DE89 3704 0044 0532 0130 00',
        isIban: true,
        bic: 'COBADEFF',
      },
      reference: 'MAPZ 2VEK',
      keptUntil: new Date(MOMENT),
      remindAt: null,
      isOver: false,
    },
  }),
  'checkout-order-paid': checkout({ control: form, paidOtherwise: { ...other, isUnknown: false } }),
  'checkout-order-unknown': checkout({ control: form, paidOtherwise: { ...other, isUnknown: true } }),
  'checkout-stands-still': checkout({ status: 'status_unknown', lookAgain: STOPPED }),
  'checkout-live': checkout({ mode: 'live', amountMinor: 1_234_567_890, currency: 'EUR' }),
  'checkout-choice': checkout({ status: 'pending_redirect', control: CHOOSING }),
  'checkout-other-way': checkout({
    status: 'pending_redirect',
    control: form,
    otherWay: { action: ADDRESS },
  }),
  'checkout-kept': checkout({
    status: 'pending_payment',
    control: form,
    leadsTo: 'wallet',
    otherWay: { action: ADDRESS, keptUntil: MOMENT },
  }),
  'checkout-left': checkout({
    status: 'pending_redirect',
    control: CHOOSING,
    leadsTo: 'choice',
    ended: { state: 'withdrawn', declineCategory: undefined },
  }),
  'checkout-choice-again': checkout({
    status: 'pending_payment',
    control: CHOOSING,
    ended: { state: 'declined', declineCategory: undefined },
  }),
  'checkout-branded': branded('#c2185b', checkout),
  'checkout-branded-failed': branded('#c2185b', (brand) => checkout({ ...brand, status: 'failed' })),
  'checkout-branded-paid': branded('#ffd400', (brand) => checkout({ ...brand, status: 'paid', ...receipts })),
  receipt: (locale, texts) => receiptPage({ ...facts(locale, texts), ...RECEIPT }),
  'receipt-part': (locale, texts) =>
    receiptPage({ ...facts(locale, texts), ...RECEIPT, takenMinor: 9_000_000 }),
  'receipt-branded': branded(
    '#c2185b',
    (brand) => (locale, texts) => receiptPage({ ...facts(locale, texts), ...RECEIPT, ...brand }),
  ),
  'link-branded': branded('#ffd400', link),
  'link-open': link({}),
  'link-choice': link({ choice: CHOOSING }),
  'link-pending': link({ status: 'pending_payment' }),
  'link-over': link({ isOver: true }),
  'link-paid': link({ status: 'paid', ...receipts } as Partial<LinkView>),
  'checkout-email': checkout({ email: {} }),
  'checkout-email-refused': checkout({ email: { isWrong: true, typed: 'ani@example' } }),
  'checkout-email-choice': checkout({ status: 'pending_redirect', control: CHOOSING, email: {} }),
  'link-email': link({ email: {} }),
  'checkout-fields': checkout({ fields: REFUSED_FIELDS }),
  'checkout-begun': checkout({
    status: 'pending_redirect',
    earlier: { isPaid: true, address: '/open/0123456789abcdef' },
  }),
}
