/** The list of the hosted pages. */
import { openSale } from './buyer-cookies.ts'
import { checkout, checkoutForm, checkoutLink, checkoutReturn } from './checkout/checkout.ts'
import { link } from './checkout/link.ts'
import { receipt } from './checkout/receipt.ts'
import { fixedReturn, fixedReturnForm, savingReturn } from './checkout/returns.ts'
import { install, installCheck } from './install/install.ts'
import { orderLink, orderLinkSeen } from './orders/link.ts'
import type { PageEndpoint } from './page-endpoint.ts'
import { pay, payForm } from './pay/pay.ts'
import { poster, SHORT_ADDRESSES } from './poster/poster.ts'

export const PAGES: readonly PageEndpoint[] = [
  checkout,
  checkoutLink,
  checkoutForm,
  checkoutReturn,
  fixedReturn,
  fixedReturnForm,
  receipt,
  link,
  openSale,
  pay,
  payForm,
  savingReturn,
  install,
  installCheck,
  poster,
  orderLink,
  orderLinkSeen,
  ...SHORT_ADDRESSES,
]
