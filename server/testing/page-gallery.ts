/** Every hosted page in every state, for tests that look at all of them. */
import { PAYMENT_STATUSES } from '../contract/payment.ts'
import { type BankView, bankPage } from '../http/pages/bank/bank-page.ts'
import { type CardSavingView, cardSavingPage } from '../http/pages/bank/card-saving-page.ts'
import type { Brand } from '../http/pages/brand/brand.ts'
import { type CheckoutView, checkoutPage } from '../http/pages/checkout/checkout-page.ts'
import { type LinkView, linkPage } from '../http/pages/checkout/link-page.ts'
import { lookAgain } from '../http/pages/checkout/look-again.ts'
import { receiptPage } from '../http/pages/checkout/receipt-page.ts'
import { type MessageKind, messagePage } from '../http/pages/message-page.ts'
import { payPage } from '../http/pages/pay/pay-page.ts'
import type { PayProblem, PayView } from '../http/pages/pay/pay-view.ts'
import type { Locale } from '../http/pages/words/locale.ts'
import { INSTALL_GALLERY } from './install-gallery.ts'

/** Texts of merchants and buyers that the pages show. */
export type Texts = { merchantName: string; merchantOrderId: string; description: string; address: string }

export type Show = (locale: Locale, texts: Texts) => string

const MESSAGE_KINDS: MessageKind[] = [
  ...(['no_page', 'not_found', 'not_offered', 'return_refused', 'busy', 'error', 'unavailable'] as const),
  ...(['token_pending', 'token_active', 'token_none', 'token_revoked'] as const),
]
const AMOUNTS = { amountMinor: 19_000_000, currency: 'AMD' } as const
const MOMENT = '2026-03-04T15:30:00Z'
const ADDRESS = 'https://pay.example/checkout/pay_01kgwzxq6n4t8v0c2f5h7j9m1p'

function facts(locale: Locale, texts: Texts) {
  const { merchantName, merchantOrderId, description, address: returnUrl } = texts
  const path = '/checkout/pay_01kgwzxq6n4t8v0c2f5h7j9m1p'
  return {
    locale,
    mode: 'sandbox' as const,
    merchantName,
    merchantOrderId,
    description,
    returnUrl,
    ...AMOUNTS,
    paymentId: 'pay_01kgwzxq6n4t8v0c2f5h7j9m1p',
    expiresAt: MOMENT,
    lookAgain: lookAgain(path, {}),
    localeLinks: { hy: `${path}?locale=hy`, ru: `${path}?locale=ru`, en: `${path}?locale=en` },
  }
}

/** `colour`: a hard one, on which white and black are both near the limit, or that a surface swallows. */
export function brandOf({ merchantName }: Texts, colour: string): Brand {
  return {
    name: merchantName,
    logo: { address: '/pictures/logo.png', width: 512, height: 200, ground: 'light' },
    colour,
    phone: '+374 10 123456',
    email: 'help@shop.example',
    site: 'https://www.shop.example/',
    taxNumber: merchantName,
    termsUrl: 'https://shop.example/terms',
    timeZone: 'Europe/Paris',
  }
}

const checkout =
  (changes: Partial<CheckoutView>): Show =>
  (locale, texts) =>
    checkoutPage({
      ...facts(locale, texts),
      control: { kind: 'link', url: ADDRESS },
      address: ADDRESS,
      ...changes,
    })
const link =
  (changes: Partial<LinkView>): Show =>
  (locale, texts) => {
    const addresses = { paymentUrl: ADDRESS, checkoutUrl: ADDRESS }
    const terms = { status: 'pending_redirect' as const, isOver: false, isManual: false }
    return linkPage({ ...facts(locale, texts), ...addresses, ...terms, ...changes })
  }
const offer =
  (problem?: PayProblem, changes: Partial<PayView> = {}): Show =>
  (locale, texts) => {
    const { merchantOrderId: _, ...shown } = facts(locale, texts)
    return payPage({
      ...shown,
      action: '/pay/kpk_x/tea',
      token: 'x',
      ...(problem && { problem }),
      ...changes,
    })
  }
const message =
  (kind: MessageKind): Show =>
  (locale, texts) => {
    const { mode, localeLinks, merchantOrderId: requestId } = facts(locale, texts)
    const failed = kind === 'error' || kind === 'unavailable'
    return messagePage({ locale, mode, kind, ...(failed ? { requestId } : { localeLinks }) })
  }

const savedCard =
  (kind: MessageKind, colour?: string): Show =>
  (locale, texts) => {
    const { mode, localeLinks } = facts(locale, texts)
    const brand = colour ? brandOf(texts, colour) : { name: texts.merchantName }
    return messagePage({ locale, mode, kind, localeLinks, brand })
  }

const bank =
  (changes: Partial<BankView>): Show =>
  (locale, texts) => {
    const { merchantName, merchantOrderId: reference, localeLinks } = facts(locale, texts)
    const terms = { ...AMOUNTS, action: '/sandbox/bank/x', state: 'open' as const, twoStep: false }
    return bankPage({ locale, merchantName, reference, localeLinks, ...terms, ...changes })
  }
const card =
  (state: CardSavingView['state']): Show =>
  (locale, texts) => {
    const { merchantName, merchantOrderId: reference, localeLinks } = facts(locale, texts)
    return cardSavingPage({
      action: '/sandbox/bank/cards/x/y',
      locale,
      merchantName,
      reference,
      localeLinks,
      state,
    })
  }

const branded =
  (colour: string, make: (changes: { brand: Brand }) => Show): Show =>
  (locale, texts) =>
    make({ brand: brandOf(texts, colour) })(locale, texts)

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
const CHOOSING = {
  kind: 'choice' as const,
  action: ADDRESS,
  options: [
    { route: 'route_a', label: 'Visa, Mastercard, ArCa' },
    { route: 'route_b', label: 'Idram' },
    { route: 'manual', label: 'Bank transfer' },
  ],
}
const form = { kind: 'form', action: '/go', fields: { EDP_BILL_NO: '1' } } as const
const receipts: Partial<CheckoutView> = { paidAt: MOMENT, fiscalStatus: 'issued' }
const RECEIPTS = ['authorized', 'paid', 'reversed', 'partially_refunded', 'refunded', 'disputed']
const REFUNDED: Record<string, number> = { partially_refunded: 4_500_000, refunded: AMOUNTS.amountMinor }

/** The pages by name. */
export const GALLERY: Record<string, Show> = {
  ...Object.fromEntries(
    PAYMENT_STATUSES.map((status) => {
      const refundedMinor = REFUNDED[status] ?? 0
      const shown = { status, refundedMinor, ...(RECEIPTS.includes(status) && receipts) }
      return [`checkout-${status}`, checkout(shown)]
    }),
  ),
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
  'checkout-order-paid': checkout({ control: form, paidOtherwise: { ...other, isUnknown: false } }),
  'checkout-order-unknown': checkout({ control: form, paidOtherwise: { ...other, isUnknown: true } }),
  'checkout-stands-still': checkout({ status: 'status_unknown', lookAgain: STOPPED }),
  'checkout-live': checkout({ mode: 'live', amountMinor: 1_234_567_890, currency: 'EUR' }),
  'checkout-choice': checkout({ status: 'pending_redirect', control: CHOOSING }),
  'checkout-choice-again': checkout({
    status: 'pending_payment',
    control: CHOOSING,
    ended: { state: 'declined', declineCategory: undefined },
  }),
  'checkout-branded': branded('#c2185b', checkout),
  'checkout-branded-failed': branded('#c2185b', (brand) => checkout({ ...brand, status: 'failed' })),
  'checkout-branded-paid': branded('#ffd400', (brand) => checkout({ ...brand, status: 'paid', ...receipts })),
  receipt: (locale, texts) => receiptPage({ ...facts(locale, texts), ...RECEIPT }),
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
  'pay-open': offer(),
  'pay-product': offer(undefined, { product: PRODUCT }),
  'pay-quantity': offer(undefined, { product: PRODUCT, maxQuantity: 6, amountMinor: 190_000 }),
  'pay-choice': offer(undefined, { ...CHOICE }),
  'pay-choice-refused': offer('amount', { ...CHOICE, typed: { amount: '1' } }),
  'pay-begun': offer(undefined, { earlier: { isPaid: false, address: '/open/0123456789abcdef' } }),
  'checkout-begun': checkout({
    status: 'pending_redirect',
    earlier: { isPaid: true, address: '/open/0123456789abcdef' },
  }),
  'pay-branded': branded('#767676', (brand) => offer(undefined, brand)),
  'pay-foreign': offer('foreign'),
  'pay-stale': offer('stale'),
  'pay-changed': offer('changed'),
  ...Object.fromEntries(MESSAGE_KINDS.map((kind) => [`message-${kind}`, message(kind)])),
  'token-active-named': savedCard('token_active'),
  'token-active-branded': savedCard('token_active', '#c2185b'),
  'token-pending-branded': savedCard('token_pending', '#ffd400'),
  'bank-open': bank({}),
  'bank-two-step': bank({ twoStep: true }),
  'bank-fault': bank({ fault: 'refund_fails_later' }),
  'bank-done': bank({ state: 'done' }),
  'bank-unknown-order': bank({ state: 'unknown-order' }),
  'card-open': card('open'),
  'card-done': card('done'),
  'card-unknown': card('unknown'),
  ...INSTALL_GALLERY,
}

export const GALLERY_TEXTS: Texts = {
  merchantName: 'Բարձրավանդակ թեյի տուն',
  merchantOrderId: 'order-2026-000117',
  description: 'Լեռնային թեյի տարեկան բաժանորդագրություն և պահպանման տուփ',
  address: 'https://shop.example/thanks',
}
