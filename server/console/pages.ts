/** The list of the console's pages. */

import { BOOKS_PAGES } from './books.ts'
import { COUNTER_PAGES } from './counter/counter.ts'
import { LINK_FORM_PAGES } from './counter/link.ts'
import { OPERATING_PAGES } from './operating.ts'
import { ORDER_PAGES } from './orders/pages.ts'
import type { ConsolePage } from './page.ts'
import { PAYMENT_ACT_PAGES } from './payments/act-setting.ts'
import { payments, paymentsFile } from './payments/list.ts'
import { payment } from './payments/payment.ts'
import { start, today } from './payments/today.ts'
import { PEOPLE_PAGES } from './people/pages.ts'
import { SETTING_PAGES } from './settings/pages.ts'
import { SHOP_PAGES } from './shop/pages.ts'
import { shop } from './shop/shop.ts'
import { shops } from './shop/shops.ts'
import { LINK_PAGES } from './sign-in/link.ts'
import { OWN_PAGES } from './sign-in/own.ts'
import { SIGN_IN_PAGES } from './sign-in/sign-in.ts'

export const CONSOLE_PAGES: readonly ConsolePage[] = [
  start,
  ...SIGN_IN_PAGES,
  ...LINK_PAGES,
  ...OWN_PAGES,
  today,
  ...COUNTER_PAGES,
  ...LINK_FORM_PAGES,
  ...OPERATING_PAGES,
  payments,
  paymentsFile,
  payment,
  ...PAYMENT_ACT_PAGES,
  shops,
  shop,
  ...SHOP_PAGES,
  ...BOOKS_PAGES,
  ...ORDER_PAGES,
  ...PEOPLE_PAGES,
  ...SETTING_PAGES,
]
