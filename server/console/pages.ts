/** The list of the console's pages. */

import { ACCOUNT_PAGES } from './accounts/accounts.ts'
import { APPROVAL_PAGES } from './approvals/approval.ts'
import { approvals } from './approvals/list.ts'
import { COUNTER_PAGES } from './counter/counter.ts'
import { LINK_FORM_PAGES } from './counter/link.ts'
import { casePage } from './desk/case.ts'
import { DECISION_PAGES } from './desk/decide.ts'
import { desk } from './desk/list.ts'
import { EVENT_PAGES } from './events/event.ts'
import { events } from './events/list.ts'
import { ORDER_PAGES } from './orders/pages.ts'
import type { ConsolePage } from './page.ts'
import { PAYMENT_ACT_PAGES } from './payments/act-forms.ts'
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
import { accountStatements, statementForm } from './statements/account.ts'
import { columnsPage, formatForm } from './statements/columns.ts'
import { statements } from './statements/list.ts'
import { lookAtStatement, storeStatementForm } from './statements/look.ts'
import { WITHDRAW_PAGES } from './statements/withdraw.ts'
import { CANCEL_PAGES } from './subscriptions/cancel.ts'
import { subscriptions } from './subscriptions/list.ts'
import { subscription } from './subscriptions/subscription.ts'
import { system } from './system/system.ts'
import { TOTALS_PAGES } from './totals/totals.ts'

const OPERATING_PAGES: readonly ConsolePage[] = [
  desk,
  casePage,
  ...DECISION_PAGES,
  approvals,
  ...APPROVAL_PAGES,
  events,
  ...EVENT_PAGES,
  ...ACCOUNT_PAGES,
]

const BOOKS_PAGES: readonly ConsolePage[] = [
  subscriptions,
  subscription,
  ...CANCEL_PAGES,
  ...TOTALS_PAGES,
  statements,
  accountStatements,
  statementForm,
  lookAtStatement,
  columnsPage,
  formatForm,
  storeStatementForm,
  ...WITHDRAW_PAGES,
  system,
]

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
