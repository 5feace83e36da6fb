/** What a person reads after an act: it is done, or it waits for a second person. */
import type { Markup } from '../../pages/html.ts'
import { noticeOf } from '../form-parts.ts'
import type { OwnVisit } from '../page.ts'
import { translate, translateAny } from '../words/translate.ts'
import { SETTING_ACTS } from './acts.ts'

export function noticeAfter({ locale, query }: OwnVisit): Markup {
  if (query.done === 'proposed') return noticeOf(translate(locale, 'setProposed'))
  const act = SETTING_ACTS.find((each) => each.name === query.done)
  return noticeOf(act ? translate(locale, 'setDone', { what: translateAny(locale, act.title) }) : null)
}
