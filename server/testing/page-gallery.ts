/** Every hosted page in every state, for tests that look at all of them. */
import { PAYMENT_STATUSES } from '../contract/payment.ts'
import { type BankView, bankPage } from '../http/pages/bank/bank-page.ts'
import { type CardSavingView, cardSavingPage } from '../http/pages/bank/card-saving-page.ts'
import { type CheckoutView, checkoutPage } from '../http/pages/checkout/checkout-page.ts'
import { type LinkView, linkPage } from '../http/pages/checkout/link-page.ts'
import { lookAgain } from '../http/pages/checkout/look-again.ts'
import { type MessageKind, messagePage } from '../http/pages/message-page.ts'
import { type PayProblem, payPage } from '../http/pages/pay/pay-page.ts'
import type { Locale } from '../http/pages/words/locale.ts'
import { INSTALL_GALLERY } from './install-gallery.ts'

/** Texts of merchants and buyers that the pages show. */
export type Texts = { merchantName: string; merchantOrderId: string; description: string; address: string }

export type Show = (locale: Locale, texts: Texts) => string

const MESSAGE_KINDS: MessageKind[] = [
  ...(['not_found', 'not_offered', 'return_refused', 'busy', 'error', 'unavailable'] as const),
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
  (problem?: PayProblem): Show =>
  (locale, texts) => {
    const { merchantOrderId: _, ...shown } = facts(locale, texts)
    return payPage({ ...shown, action: '/pay/kpk_x/tea', token: 'x', ...(problem && { problem }) })
  }
const message =
  (kind: MessageKind): Show =>
  (locale, texts) => {
    const { mode, localeLinks, merchantOrderId: requestId } = facts(locale, texts)
    const failed = kind === 'error' || kind === 'unavailable'
    return messagePage({ locale, mode, kind, ...(failed ? { requestId } : { localeLinks }) })
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

const STOPPED = lookAgain('/', { looked: 'off' })
const other = { ...AMOUNTS, at: MOMENT }
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
  'checkout-processing': checkout({ status: 'pending_payment', control: { kind: 'none' } }),
  'checkout-manual': checkout({ status: 'pending_redirect', isManual: true, lookAgain: STOPPED }),
  'checkout-order-paid': checkout({ control: form, paidOtherwise: { ...other, isUnknown: false } }),
  'checkout-order-unknown': checkout({ control: form, paidOtherwise: { ...other, isUnknown: true } }),
  'checkout-stands-still': checkout({ status: 'status_unknown', lookAgain: STOPPED }),
  'checkout-live': checkout({ mode: 'live', amountMinor: 1_234_567_890, currency: 'EUR' }),
  'link-open': link({}),
  'link-pending': link({ status: 'pending_payment' }),
  'link-over': link({ isOver: true }),
  'link-paid': link({ status: 'paid', ...receipts } as Partial<LinkView>),
  'pay-open': offer(),
  'pay-foreign': offer('foreign'),
  'pay-stale': offer('stale'),
  'pay-changed': offer('changed'),
  ...Object.fromEntries(MESSAGE_KINDS.map((kind) => [`message-${kind}`, message(kind)])),
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
