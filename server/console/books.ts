/** The pages about what the books of a shop and of its providers say, and about the service itself. */
import type { ConsolePage } from './page.ts'
import { accountStatements } from './statements/account.ts'
import { columnsPage, formatForm } from './statements/columns.ts'
import { statements } from './statements/list.ts'
import { lookAtStatement, storeStatementForm } from './statements/look.ts'
import { statementForm } from './statements/upload.ts'
import { withdrawForm, withdrawPage } from './statements/withdraw.ts'
import { CANCEL_PAGES } from './subscriptions/cancel.ts'
import { subscriptions } from './subscriptions/list.ts'
import { subscription } from './subscriptions/subscription.ts'
import { system } from './system/system.ts'
import { TOTALS_PAGES } from './totals/totals.ts'

export const BOOKS_PAGES: readonly ConsolePage[] = [
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
  withdrawPage,
  withdrawForm,
  system,
]
