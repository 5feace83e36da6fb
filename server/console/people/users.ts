/** Who may use the console and the commands. */
import { mailLink } from '../../access/invitation.ts'
import type { AnyRow } from '../../acts/act.ts'
import { stateOf } from '../../acts/rows/person-stake.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { versionOf } from '../../merchants/version.ts'
import type { presentPerson } from '../../operator/views/person.ts'
import { html, type Markup } from '../../pages/html.ts'
import {
  findUser,
  type ListedPerson,
  listPresentPeople,
  listRemovedPeople,
  type UserRecord,
} from '../../storage/access/users.ts'
import { findOperator, type OperatorRecord } from '../../storage/audit/operators.ts'
import { listMerchantNames } from '../../storage/merchants/merchants.ts'
import { listWaitingPeople, listWaitingTokens } from '../../storage/restores/waiting.ts'
import { listWorlds, mainWorld } from '../../worlds.ts'
import { alertOf, noticeOf } from '../form-parts.ts'
import { findField, listRequestOf, nextOf, noneOf, positionOf } from '../long-list.ts'
import type { ConsolePage, OwnVisit, Screen, Shown } from '../page.ts'
import { narrowScreen, wideScreen } from '../page-parts.ts'
import { addressWith, momentText, moreLink } from '../parts.ts'
import { translate } from '../words/translate.ts'
import { actFor, viewOf } from '../world.ts'

/** `user`: null if the person uses the command line alone. */
export type FoundUser = {
  operator: OperatorRecord
  user: UserRecord | null
  seen: string
  path: string
  list: string
}

export const users: ConsolePage = {
  method: 'get',
  path: '/:world/users',
  needs: 'user list',
  async handle(visit) {
    const { locale, query } = visit
    const { ctx, world, timeZone } = await viewOf(visit)
    const wish = listRequestOf(visit)
    const { limit } = wish
    const [{ rows, next }, removed] = await Promise.all([
      listPresentPeople(ctx.db, wish),
      listRemovedPeople(ctx.db, { after: positionOf(query.removed), limit }),
    ])
    const names = await listMerchantNames(
      ctx.db,
      rows.map(({ merchantId }) => merchantId),
    )
    const path = `/${world}/users`
    const title = translate(locale, 'usersTitle')
    const notice = query.done === 'removed' ? translate(locale, 'userRemoved') : null
    const body = html`<p class="lead">${translate(locale, 'usersLead')}</p>
      ${alertOf(await waitingText(visit))}
      <p><a class="button" href=${`${path}/new`}>${translate(locale, 'userAdd')}</a></p>
      ${findField(locale, wish, { next, label: 'listFindPerson' })}
      ${noneOf(locale, wish, { count: rows.length, next, none: 'listNone' })}
      <ul class="rows">${rows.map((each) => row(locale, { path, names }, each))}</ul>
      ${nextOf(locale, path, wish, next)}
      ${
        removed.rows.length > 0 || removed.next !== null
          ? html`<details open=${query.removed !== undefined}>
              <summary>${translate(locale, 'usersRemoved')}</summary>
              <dl class="facts">
                ${removed.rows.map(({ name, removedAt }) => html`<div><dt><bdi>${name}</bdi></dt><dd>${momentText(removedAt, locale, timeZone)}</dd></div>`)}
              </dl>
              ${moreLink(locale, removed.next && addressWith(path, { removed: removed.next }))}
            </details>`
          : null
      }`
    return wideScreen({ title, body, notice })
  },
}

/** Who and what waits after a restore, until somebody on the host confirms it. */
async function waitingText({ locale, worlds, user }: OwnVisit): Promise<string | undefined> {
  if (user.merchantId !== null) return undefined
  const people = await listWaitingPeople(worlds.sandbox.db)
  const found = await Promise.all(
    listWorlds(worlds).map(({ db, clock }) => listWaitingTokens(db, clock.now())),
  )
  const [waiting, working] = [true, false].map(
    (waits) => found.flat().filter((token) => token.waits === waits).length,
  )
  if (people.length + found.flat().length === 0) return undefined
  const names = people.map(({ name }) => name).join(', ') || '–'
  return translate(locale, 'usersWaiting', { names, waiting: String(waiting), working: String(working) })
}

/** `names`: of the shops on the page, by their ids. */
function row(
  locale: OwnVisit['locale'],
  { path, names }: { path: string; names: ReadonlyMap<string, string> },
  { id, name, role, email, merchantId }: ListedPerson,
): Markup {
  const shop = merchantId === null ? translate(locale, 'userAllShops') : (names.get(merchantId) ?? merchantId)
  return html`<li>
    <a href=${`${path}/${id}`} class="row">
      <strong><bdi>${name}</bdi></strong>
      <span>${translate(locale, `role_${role}`)}</span>
      <span class="hint">${email === null ? translate(locale, 'userNoConsole') : `${email} · ${shop}`}</span>
    </a>
  </li>`
}

/** The person that the address names, and a short text that changes with what may be changed. @throws AppError not_found */
export async function findPerson(visit: OwnVisit): Promise<FoundUser> {
  const { ctx, world } = await viewOf(visit)
  const operator = await findOperator(ctx.db, visit.params.user ?? '')
  if (!operator || operator.removedAt !== null) throw new AppError('not_found')
  const found = { operator, user: await findUser(ctx.db, operator.id) }
  const list = `/${world}/users`
  return { ...found, seen: versionOf(stateOf(found)), path: `${list}/${operator.id}`, list }
}

/** `name`: of the person. `isShown`: a link is shown in any case. `to`: where an act leads that makes none. */
type PersonAct = {
  given: object
  about: string
  name: string
  list: string
  isShown?: boolean
  to?(isLinkEnded: boolean): string
}

/** Does an act on a person, and shows what comes of it: a new link, the first half of one, or the next screen. */
export async function actOnPerson(
  visit: OwnVisit,
  row: AnyRow,
  { given, about, name, list, isShown = false, to }: PersonAct,
): Promise<Shown> {
  const done = await actFor(visit, row, about, given)
  if ('proposed' in done) return proposedScreen(visit, { name, list, link: done.handover.link ?? undefined })
  const { facts, shownOnce } = done.result
  const link = shownOnce?.link ?? null
  if (link === null && to) return { kind: 'redirect', to: to(facts.isLinkEnded === true) }
  const { userId } = facts.user as ReturnType<typeof presentPerson>
  return linkScreen(visit, done.ctx, { list, user: await findUser(done.ctx.db, userId), name, link, isShown })
}

type NewLink = { list: string; name: string; user: UserRecord | null; link: string | null; isShown: boolean }

/** Mails the link to the person, or shows it this one time where no mail can be sent. */
async function linkScreen(
  { locale }: OwnVisit,
  ctx: Context,
  { list, name, user, link, isShown }: NewLink,
): Promise<Screen> {
  const title = translate(locale, 'userLinkTitle', { name })
  const isMailed = !isShown && user !== null && link !== null && (await mailLink(ctx, user, link))
  const body = html`${isMailed ? noticeOf(translate(locale, 'userLinkMailed', { email: user.email })) : linkText(locale, { name, link })}`
  return narrowScreen({ title, body, back: [list, translate(locale, 'usersTitle')] })
}

function linkText(locale: OwnVisit['locale'], { name, link }: { name: string; link: string | null }): Markup {
  if (link === null) return html`<p class="alert">${translate(locale, 'userLinkNone')}</p>`
  return html`<p class="lead">${translate(locale, 'userLinkLead', { name })}</p>
    <p><code class="secret">${link}</code></p>`
}

/** It waits for a second person. `link`: the first half of a link, shown this once. */
function proposedScreen(
  { locale, worlds }: OwnVisit,
  { name, link, list }: { name: string; link?: string | undefined; list: string },
): Screen {
  const title = translate(locale, 'userProposed')
  const body = html`<p class="lead">${translate(locale, 'userProposedLead')}</p>
    ${link === undefined ? null : html`<p>${translate(locale, 'userHalfLead', { name })}</p><p><code class="secret">${link}</code></p>`}
    <p><a href=${`/${mainWorld(worlds).world}/approvals`}>${translate(locale, 'approvalsTitle')}</a></p>`
  return narrowScreen({ title, body, back: [list, translate(locale, 'usersTitle')] })
}
