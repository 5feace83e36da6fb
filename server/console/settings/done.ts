/** What a person reads after an act: it is done, or it waits for a second person. */
import type { Markup } from '../../pages/html.ts'
import { noticeOf } from '../form-parts.ts'
import type { OwnVisit } from '../page.ts'
import { say, sayAny } from '../words/say.ts'
import { SETTING_ACTS } from './acts.ts'

export function noticeAfter({ locale, query }: OwnVisit): Markup {
  if (query.done === 'proposed') return noticeOf(say(locale, 'setProposed'))
  const act = SETTING_ACTS.find((each) => each.name === query.done)
  return noticeOf(act ? say(locale, 'setDone', { what: sayAny(locale, act.title) }) : null)
}
