/** The list of the hosted pages. */
import { bankArrival, bankChoice } from './bank.ts'
import { checkout, checkoutReturn } from './checkout.ts'
import { link } from './link.ts'
import type { PageEndpoint } from './page-endpoint.ts'

export const PAGES: readonly PageEndpoint[] = [checkout, checkoutReturn, link]

/** Only where the simulated bank is: in sandbox mode. */
export const BANK_PAGES: readonly PageEndpoint[] = [bankArrival, bankChoice]
