/** A new link for a person, and removing one. Each ends every session of the person, and asks for the second factor. */
import type { Context } from '../../context.ts'
import { expectSeen } from '../../merchants/version.ts'
import { doOrPropose } from '../../operator/approvals/approvals.ts'
import { html } from '../../pages/html.ts'
import { mainWorld } from '../../worlds.ts'
import { alertOf, hiddenFields } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen, Shown } from '../page.ts'
import { backTo } from '../page-parts.ts'
import { refusalOf } from '../refusals.ts'
import { say } from '../words/say.ts'
import { writingForBoth } from '../world.ts'
import { type FoundUser, findPerson, linkScreen, proposedScreen, proven } from './users.ts'

type UserAct = {
  name: 'reset' | 'remove'
  needs: 'user reset' | 'user remove'
  word: 'userReset' | 'userRemove'
  run(ctx: Context, visit: OwnVisit, found: FoundUser): Promise<Shown>
}

const ACTS: readonly UserAct[] = [
  {
    name: 'reset',
    needs: 'user reset',
    word: 'userReset',
    async run(ctx, visit, { operator: { id, name }, list }) {
      const decided = await doOrPropose(ctx, proven(visit.user), 'user reset', { user: id })
      if ('proposed' in decided)
        return proposedScreen(visit, { name, list, link: decided.handover.link ?? undefined })
      return linkScreen(visit, ctx, { list, changed: decided.done, isShown: visit.form.how === 'shown' })
    },
  },
  {
    name: 'remove',
    needs: 'user remove',
    word: 'userRemove',
    async run(ctx, visit, { operator: { id, name }, list }) {
      const decided = await doOrPropose(ctx, proven(visit.user), 'user remove', { user: id })
      if ('proposed' in decided) return proposedScreen(visit, { name, list })
      return { kind: 'redirect', to: `${list}?done=removed` }
    },
  },
]

async function sureScreen(act: UserAct, visit: OwnVisit, problem?: string): Promise<Screen> {
  const { locale } = visit
  const { operator, seen, path } = await findPerson(visit)
  const { name } = operator
  const title = say(locale, act.word)
  const body = html`<div class="narrow">
    <h1>${title}</h1>
    ${alertOf(problem)}
    <p class="sentence">${say(locale, `${act.word}Lead`, { name })}</p>
    <form method="post" class="fields">
      ${hiddenFields({ seen })}
      <button class="button">${say(locale, `${act.word}Do`, { name })}</button>
      ${act.name === 'reset' && mainWorld(visit.worlds).config.smtpServer ? html`<button class="button quiet" name="how" value="shown">${say(locale, 'userLinkCopy')}</button>` : null}
    </form>
    ${backTo(path, name)}
  </div>`
  return { kind: 'screen', title, body, ...(problem !== undefined && { status: 422 }) }
}

async function answer(act: UserAct, visit: OwnVisit): Promise<Shown> {
  const found = await findPerson(visit)
  const { operator, user, seen } = found
  const ctx = writingForBoth(visit, act.needs, operator.id)
  try {
    expectSeen({ operator, user }, visit.form.seen ?? '')
    await visit.user.prove({ what: act.needs, world: ctx.world, args: { id: operator.id, seen } })
    return await act.run(ctx, visit, found)
  } catch (error) {
    return sureScreen(act, visit, refusalOf(visit.locale, error))
  }
}

export const USER_ACT_PAGES: readonly ConsolePage[] = ACTS.flatMap((act): ConsolePage[] => {
  const page = { path: `/:world/users/:user/${act.name}`, needs: act.needs }
  return [
    { ...page, method: 'get', handle: (visit: OwnVisit) => sureScreen(act, visit) },
    { ...page, method: 'post', handle: (visit: OwnVisit) => answer(act, visit) },
  ]
})
