/** The pages of whoever operates the deployment. */
import { ACCOUNT_PAGES } from './accounts/accounts.ts'
import { APPROVAL_PAGES } from './approvals/approval.ts'
import { approvals } from './approvals/list.ts'
import { casePage } from './desk/case.ts'
import { DECISION_PAGES } from './desk/decide.ts'
import { desk } from './desk/list.ts'
import { EVENT_PAGES } from './events/event.ts'
import { events } from './events/list.ts'
import type { ConsolePage } from './page.ts'

export const OPERATING_PAGES: readonly ConsolePage[] = [
  desk,
  casePage,
  ...DECISION_PAGES,
  approvals,
  ...APPROVAL_PAGES,
  events,
  ...EVENT_PAGES,
  ...ACCOUNT_PAGES,
]
