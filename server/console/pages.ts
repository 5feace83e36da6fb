/** The list of the console's pages. */
import { LINK_PAGES } from './link.ts'
import type { ConsolePage } from './page.ts'
import { payment } from './payment.ts'
import { payments } from './payments.ts'
import { REFUND_PAGES } from './refund.ts'
import { SIGN_IN_PAGES } from './sign-in.ts'
import { start, today } from './today.ts'

export const CONSOLE_PAGES: readonly ConsolePage[] = [
  start,
  ...SIGN_IN_PAGES,
  ...LINK_PAGES,
  today,
  payments,
  payment,
  ...REFUND_PAGES,
]
