/** The pages about what the books of a shop and of its providers say, and about the service itself. */
import type { ConsolePage } from './page.ts'
import { accountStatements } from './statements/account.ts'
import { formatForm } from './statements/columns.ts'
import { statements } from './statements/list.ts'
import { statementForm } from './statements/upload.ts'
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
  formatForm,
  system,
]
