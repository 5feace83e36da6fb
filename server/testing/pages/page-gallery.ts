/** Every hosted page in every state, for tests that look at all of them. */
import { MESSAGE_KINDS, type MessageKind, messagePage } from '../../pages/message-page.ts'
import { type BankView, bankPage } from '../../sandbox/pages/bank.ts'
import { type CardSavingView, cardSavingPage } from '../../sandbox/pages/card-saving.ts'
import { CHECKOUT_GALLERY } from './checkout-gallery.ts'
import { AMOUNTS, brandOf, facts, type Show } from './gallery-facts.ts'
import { INSTALL_GALLERY } from './install-gallery.ts'
import { ORDER_GALLERY } from './order-gallery.ts'
import { PAY_GALLERY } from './pay-gallery.ts'

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
    const [action, returnUrl] = ['/sandbox/bank/x', 'https://pay.example/pay']
    const terms = { ...AMOUNTS, action, returnUrl, state: 'open' as const, twoStep: false }
    return bankPage({ locale, merchantName, reference, localeLinks, ...terms, ...changes })
  }
const card =
  (state: CardSavingView['state']): Show =>
  (locale, texts) => {
    const { merchantName, merchantOrderId: reference, localeLinks } = facts(locale, texts)
    return cardSavingPage({
      action: '/sandbox/bank/cards/x/y',
      returnUrl: 'https://pay.example/pay',
      locale,
      merchantName,
      reference,
      localeLinks,
      state,
    })
  }

/** The pages by name. */
export const GALLERY: Record<string, Show> = {
  ...CHECKOUT_GALLERY,
  ...PAY_GALLERY,
  ...ORDER_GALLERY,
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
