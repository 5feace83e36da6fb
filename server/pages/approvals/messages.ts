/** The names of acts that need a second person. */
import { findMessage } from '../../messages/translate.ts'
import type { Locale } from '../words/locale.ts'

/** Returns the name of an act; an act of another version as it is stored. */
export const actText = (locale: Locale, what: string): string =>
  findMessage(locale, `approvals.acts.${what}`) ?? what
