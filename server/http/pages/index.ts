/** The list of the hosted pages. */
import { bankArrival, bankChoice } from './bank.ts'
import { cardArrival, cardChoice, savingReturn } from './card-saving.ts'
import { checkout, checkoutForm, checkoutLink, checkoutReturn } from './checkout.ts'
import { install, installCheck } from './install.ts'
import { link } from './link.ts'
import type { PageEndpoint } from './page-endpoint.ts'
import { pay, payForm } from './pay.ts'

export const PAGES: readonly PageEndpoint[] = [
  ...[checkout, checkoutLink, checkoutForm, checkoutReturn],
  ...[link, pay, payForm, savingReturn, install, installCheck],
]

/** Only where the simulated bank is: in sandbox mode. */
export const BANK_PAGES: readonly PageEndpoint[] = [bankArrival, bankChoice, cardArrival, cardChoice]
