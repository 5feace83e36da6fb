/** The way to the settings of a screen: under their headings, and with the roles that may where the person may not. */
import { may } from '../../acts/policy.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import type { FormAct, Place } from '../acts/act.ts'
import type { OwnVisit } from '../page.ts'
import { whoMay } from '../page-parts.ts'
import { type FactLine, factList } from '../parts.ts'
import { type ConsoleKey, translateAny } from '../words/translate.ts'
import { SETTING_ACTS } from './acts.ts'

/** `facts`: what is set now. */
export type Group = { title: ConsoleKey; facts: readonly FactLine[] }

export function groupOf(visit: OwnVisit, place: Place, path: string, { title, facts }: Group): Markup {
  const { locale, user } = visit
  const acts = SETTING_ACTS.filter((act) => act.place === place && act.group === title)
  const own = acts.filter(({ needs }) => may(user, needs))
  return html`<section>
    <h2>${translateAny(locale, title)}</h2>
    ${factList(facts)}
    ${own.length > 0 ? html`<ul class="rows places">${own.map((act) => linkTo(locale, path, act))}</ul>` : null}
    ${foreignActs(
      locale,
      acts.filter((act) => !own.includes(act)),
    )}
  </section>`
}

const linkTo = (locale: Locale, path: string, act: FormAct) =>
  html`<li><a href=${`${path}/${act.name}`} class="row"><strong>${translateAny(locale, act.title)}</strong></a></li>`

/** Acts of the same roles stand together. */
function foreignActs(locale: Locale, acts: readonly FormAct[]): Markup {
  const [first] = acts
  if (!first) return null
  return html`<p class="hint">${acts.map(({ title }) => translateAny(locale, title)).join(', ')}</p>
    ${whoMay(locale, first.needs)}`
}
