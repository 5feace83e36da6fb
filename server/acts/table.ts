/** The table of acts. */

import type { AnyRow } from './act.ts'
import { ACCOUNT_SETTING_ACTS } from './rows/account-settings.ts'
import { ACCOUNT_ACTS } from './rows/accounts.ts'
import { AGREEMENT_ACTS } from './rows/agreements.ts'
import { APPROVAL_ACTS } from './rows/approvals.ts'
import { CALLBACK_ACTS } from './rows/callbacks.ts'
import { DECISION_ACTS } from './rows/decisions.ts'
import { DESK_ACTS } from './rows/desk.ts'
import { EVENT_ACTS } from './rows/events.ts'
import { INSTALLATION_ACTS } from './rows/installations.ts'
import { LINK_ACTS } from './rows/links.ts'
import { MERCHANT_ACTS } from './rows/merchants.ts'
import { ORDER_ACTS } from './rows/orders.ts'
import { ORIGIN_ACTS } from './rows/origins.ts'
import { PAYMENT_ACTS } from './rows/payments.ts'
import { PEOPLE_ACTS } from './rows/people.ts'
import { PRODUCT_ACTS } from './rows/products.ts'
import { RECEIPT_ACTS } from './rows/receipts.ts'
import { REVIEW_ACTS } from './rows/reviews.ts'
import { ROUTE_ACTS } from './rows/routes.ts'
import { STATEMENT_ACTS } from './rows/statements.ts'
import { TOKEN_ACTS } from './rows/tokens.ts'
import { UPKEEP_ACTS } from './rows/upkeep.ts'

export const ACT_ROWS: readonly AnyRow[] = [
  ...MERCHANT_ACTS,
  ...ROUTE_ACTS,
  ...PAYMENT_ACTS,
  ...LINK_ACTS,
  ...DECISION_ACTS,
  ...AGREEMENT_ACTS,
  ...ACCOUNT_SETTING_ACTS,
  ...ACCOUNT_ACTS,
  ...PRODUCT_ACTS,
  ...ORDER_ACTS,
  ...RECEIPT_ACTS,
  ...STATEMENT_ACTS,
  ...REVIEW_ACTS,
  ...PEOPLE_ACTS,
  ...TOKEN_ACTS,
  ...CALLBACK_ACTS,
  ...EVENT_ACTS,
  ...ORIGIN_ACTS,
  ...INSTALLATION_ACTS,
  ...DESK_ACTS,
  ...APPROVAL_ACTS,
  ...UPKEEP_ACTS,
]
