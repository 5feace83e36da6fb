/** A new link for a person, and removing one. Each ends every session of the person, and asks for the second factor. */
import type { AnyRow } from '../../acts/act.ts'
import { remove, reset } from '../../acts/rows/people.ts'
import { html } from '../../pages/html.ts'
import { mainWorld } from '../../worlds.ts'
import { hiddenFields } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen, Shown } from '../page.ts'
import { narrowScreen } from '../page-parts.ts'
import { refusalOf } from '../refusals.ts'
import { translate } from '../words/translate.ts'
import { actOnPerson, findPerson } from './users.ts'

type UserAct = { name: 'reset' | 'remove'; row: AnyRow; word: 'userReset' | 'userRemove' }

const ACTS: readonly UserAct[] = [
  { name: 'reset', row: reset, word: 'userReset' },
  { name: 'remove', row: remove, word: 'userRemove' },
]

async function confirmScreen(act: UserAct, visit: OwnVisit, problem?: string): Promise<Screen> {
  const { locale } = visit
  const { operator, seen, path } = await findPerson(visit)
  const { name } = operator
  const title = translate(locale, act.word)
  const body = html`<p class="sentence">${translate(locale, `${act.word}Lead`, { name })}</p>
    <form method="post" class="fields">
      ${hiddenFields({ seen })}
      <button class="button">${translate(locale, `${act.word}Do`, { name })}</button>
      ${act.name === 'reset' && mainWorld(visit.worlds).config.smtpServer ? html`<button class="button quiet" name="how" value="shown">${translate(locale, 'userLinkCopy')}</button>` : null}
    </form>`
  return narrowScreen({ title, body, problem, back: [path, name] })
}

async function answer(act: UserAct, visit: OwnVisit): Promise<Shown> {
  const { operator, list } = await findPerson(visit)
  const { id, name } = operator
  const { form } = visit
  const given = { user: id, seen: form.seen ?? '' }
  const to = act.name === 'remove' && { to: () => `${list}?done=removed` }
  try {
    return await actOnPerson(visit, act.row, {
      given,
      about: id,
      name,
      list,
      isShown: form.how === 'shown',
      ...to,
    })
  } catch (error) {
    return confirmScreen(act, visit, refusalOf(visit.locale, error))
  }
}

export const USER_ACT_PAGES: readonly ConsolePage[] = ACTS.flatMap((act): ConsolePage[] => {
  const page = { path: `/:world/users/:user/${act.name}`, needs: act.row.name }
  return [
    { ...page, method: 'get', handle: (visit: OwnVisit) => confirmScreen(act, visit) },
    { ...page, method: 'post', handle: (visit: OwnVisit) => answer(act, visit) },
  ]
})
