/** The pages about people: who may use the console. */
import type { ConsolePage } from '../page.ts'
import { USER_ACT_PAGES } from './user-acts.ts'
import { USER_FORM_PAGES } from './user-form.ts'
import { users } from './users.ts'

export const PEOPLE_PAGES: readonly ConsolePage[] = [users, ...USER_FORM_PAGES, ...USER_ACT_PAGES]
