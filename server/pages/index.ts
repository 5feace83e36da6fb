/** The list of the hosted pages. */
import { bankArrival, bankChoice } from './bank/bank.ts'
import { cardArrival, cardChoice, savingReturn } from './bank/card-saving.ts'
import { openSale } from './buyer-cookies.ts'
import { checkout, checkoutForm, checkoutLink, checkoutReturn } from './checkout/checkout.ts'
import { link } from './checkout/link.ts'
import { receipt } from './checkout/receipt.ts'
import { install, installCheck, poster } from './install/install.ts'
import type { PageEndpoint } from './page-endpoint.ts'
import { pay, payForm } from './pay/pay.ts'

export const PAGES: readonly PageEndpoint[] = [
  checkout,
  checkoutLink,
  checkoutForm,
  checkoutReturn,
  receipt,
  link,
  openSale,
  pay,
  payForm,
  savingReturn,
  install,
  installCheck,
  poster,
]

/** The simulated bank's pages. They exist only in the sandbox, whatever their addresses name. */
export const BANK_PAGES: readonly PageEndpoint[] = [bankArrival, bankChoice, cardArrival, cardChoice].map(
  (page) => ({ ...page, world: 'sandbox' }),
)
