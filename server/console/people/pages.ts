/** The pages about people: who may use the console, and what they did. */
import type { ConsolePage } from '../page.ts'
import { AUDIT_PAGES } from './audit.ts'
import { USER_ACT_PAGES } from './user-acts.ts'
import { USER_FORM_PAGES } from './user-form.ts'
import { users } from './users.ts'

export const PEOPLE_PAGES: readonly ConsolePage[] = [
  users,
  ...USER_FORM_PAGES,
  ...USER_ACT_PAGES,
  ...AUDIT_PAGES,
]
