/**
 * *My sign-in*: what a person of any role changes of the own sign-in. Each change asks for the passkey or a code once more, so a stolen
 * session changes nothing. A passkey of somebody else answers like an unknown one.
 */
import {
  addPasskey,
  allowNewPasskey,
  type OwnSignIn,
  offerNewPasskey,
  readOwnSignIn,
  removePasskey,
  renewRecoveryCodes,
  type ShownPasskey,
} from '../../access/own-sign-in.ts'
import { hasPasskeys } from '../../access/passkeys.ts'
import { AppError } from '../../errors.ts'
import { html, type Markup } from '../../pages/html.ts'
import { gone } from '../cookies.ts'
import { hiddenFields, passkeyForm } from '../form-parts.ts'
import { type ConsolePage, type OwnVisit, type Screen, type Shown, STEP } from '../page.ts'
import { backTo, narrowScreen } from '../page-parts.ts'
import { addressWith, momentText } from '../parts.ts'
import { refusalOf } from '../refusals.ts'
import { translate } from '../words/translate.ts'
import { viewOf, worldOf } from '../world.ts'
import { recoveryScreen } from './link.ts'
import { readAnswer, stepCookie } from './sign-in.ts'

const PAGE = '/:world/my-sign-in'
const NOTICES = ['added', 'removed'] as const
/** What the second factor is shown for. No other act has these names. */
const ACTS = { add: 'console passkey add', remove: 'console passkey remove', codes: 'console recovery codes' }

const pathOf = ({ params }: OwnVisit) => `/${params.world}/my-sign-in`
const actor = ({ user, session, origin, address }: OwnVisit) => ({ user, session, origin, address })

async function ownScreen(visit: OwnVisit, problem?: string): Promise<Screen> {
  const { ctx, locale, query, user, origin } = visit
  const { timeZone } = await viewOf(visit)
  const { passkeys, codesLeft } = await readOwnSignIn(ctx, user.id, origin)
  const path = pathOf(visit)
  const done = NOTICES.find((each) => each === query.done)
  const title = translate(locale, 'ownTitle')
  const body = html`<p class="lead">${translate(locale, 'ownLead')}</p>
    <h2>${translate(locale, 'ownPasskeys')}</h2>
    ${passkeys.length === 0 ? html`<p>${translate(locale, 'ownNoPasskeys')}</p>` : null}
    <ul class="rows">${passkeys.map((each, at) => row(visit, { passkey: each, number: at + 1, timeZone }))}</ul>
    ${
      hasPasskeys(origin)
        ? html`<form method="post" action=${`${path}/add`}><button class="button">${translate(locale, 'ownAdd')}</button></form>`
        : html`<p class="hint">${translate(locale, 'ownNoneHere')}</p>`
    }
    ${codesPart(visit, codesLeft)}`
  return narrowScreen({ title, body, problem, notice: done ? translate(locale, `own_${done}`) : null })
}

type Numbered = { passkey: ShownPasskey; number: number; timeZone: string }

function row(visit: OwnVisit, { passkey, number, timeZone }: Numbered): Markup {
  const { locale } = visit
  const { id, host, isHere, createdAt, usedAt } = passkey
  const moment = (at: Date) => momentText(at, locale, timeZone) ?? ''
  const name = translate(locale, 'ownPasskey', { number: String(number) })
  return html`<li>
    <a href=${addressWith(`${pathOf(visit)}/remove`, { passkey: id })} class="row">
      <strong>${name}</strong>
      <span class="hint">${translate(locale, 'ownMade', { at: moment(createdAt) })} ${usedAt ? translate(locale, 'ownUsed', { at: moment(usedAt) }) : translate(locale, 'ownUnused')}</span>
      ${isHere ? null : html`<span class="hint">${translate(locale, 'ownElsewhere', { host })}</span>`}
      <span>${translate(locale, 'ownRemove')}</span>
    </a>
  </li>`
}

/** Recovery codes stand in for the codes of the app, so only somebody with a password has any. */
function codesPart(visit: OwnVisit, codesLeft: OwnSignIn['codesLeft']): Markup {
  const { locale } = visit
  if (codesLeft === null) return null
  return html`<h2>${translate(locale, 'ownCodes')}</h2>
    <p>${translate(locale, 'ownCodesLeft', { count: String(codesLeft) })}</p>
    <p class="hint">${translate(locale, 'ownCodesText')}</p>
    <form method="post" action=${`${pathOf(visit)}/codes`}><button class="button quiet">${translate(locale, 'ownCodesDo')}</button></form>`
}

/** First the second factor, then the new passkey: a person who cancels the device's question can begin again on the same page. */
async function makeScreen(visit: OwnVisit): Promise<Screen> {
  const { ctx, locale, user } = visit
  const { world } = worldOf(visit)
  await user.prove({ what: ACTS.add, world, args: {} })
  const step = await allowNewPasskey(ctx, user.id)
  const title = translate(locale, 'ownAdd')
  const body = html`<p class="lead">${translate(locale, 'ownMakeLead')}</p>
    ${passkeyForm(locale, { action: `${pathOf(visit)}/passkey`, how: 'create', label: translate(locale, 'ownMakeDo') })}
    ${backTo(pathOf(visit), translate(locale, 'ownTitle'))}`
  return narrowScreen({ title, body, cookies: [stepCookie(step)] })
}

async function make(visit: OwnVisit): Promise<Shown> {
  const { ctx, form, step, locale } = visit
  try {
    const refusal = await addPasskey(ctx, actor(visit), { step, answer: readAnswer(form) })
    if (refusal)
      return ownScreen(visit, translate(locale, refusal.kind === 'over' ? 'againOver' : 'ownNotMade'))
    return { kind: 'redirect', to: `${pathOf(visit)}?done=added`, cookies: [gone(STEP)] }
  } catch (error) {
    return ownScreen(visit, refusalOf(locale, error))
  }
}

/** @throws AppError not_found for a passkey that the person does not have, also if somebody else has it */
async function findOwn(
  { ctx, user, origin }: OwnVisit,
  id: string | undefined,
): Promise<Omit<Numbered, 'timeZone'>> {
  const { passkeys } = await readOwnSignIn(ctx, user.id, origin)
  const at = passkeys.findIndex((each) => each.id === id)
  const passkey = passkeys[at]
  if (!passkey) throw new AppError('not_found')
  return { passkey, number: at + 1 }
}

async function removeScreen(visit: OwnVisit, id: string, problem?: string): Promise<Screen> {
  const { locale } = visit
  const { timeZone } = await viewOf(visit)
  const { number, passkey } = await findOwn(visit, id)
  const made = momentText(passkey.createdAt, locale, timeZone) ?? ''
  const title = translate(locale, 'ownRemove')
  const body = html`<p class="sentence">${translate(locale, 'ownRemoveLead', { number: String(number) })}</p>
    <p class="hint">${translate(locale, 'ownMade', { at: made })}</p>
    <form method="post" action=${`${pathOf(visit)}/remove`} class="fields">
      ${hiddenFields({ passkey: id })}
      <button class="button">${translate(locale, 'ownRemoveDo')}</button>
    </form>`
  return narrowScreen({ title, body, problem, back: [pathOf(visit), translate(locale, 'ownTitle')] })
}

async function remove(visit: OwnVisit): Promise<Shown> {
  const { ctx, form, user, locale } = visit
  const id = form.passkey ?? ''
  const { passkey } = await findOwn(visit, id)
  await user.prove({ what: ACTS.remove, world: worldOf(visit).world, args: { passkey: passkey.id } })
  try {
    await removePasskey(ctx, actor(visit), passkey.id)
  } catch (error) {
    return removeScreen(visit, id, refusalOf(locale, error))
  }
  return { kind: 'redirect', to: `${pathOf(visit)}?done=removed` }
}

/** The one time that the codes are shown. */
async function codesScreen(visit: OwnVisit): Promise<Screen> {
  const { ctx, locale, user, origin } = visit
  if ((await readOwnSignIn(ctx, user.id, origin)).codesLeft === null) throw new AppError('not_found')
  await user.prove({ what: ACTS.codes, world: worldOf(visit).world, args: {} })
  return recoveryScreen(locale, await renewRecoveryCodes(ctx, actor(visit)), pathOf(visit))
}

async function options({ ctx, user, step, origin }: OwnVisit): Promise<Shown> {
  return { kind: 'json', body: await offerNewPasskey(ctx, user, { step, origin }) }
}

async function askToRemove(visit: OwnVisit): Promise<Shown> {
  const id = visit.query.passkey
  return id === undefined ? { kind: 'redirect', to: pathOf(visit) } : removeScreen(visit, id)
}

const at = (end: string) => ({ path: PAGE + end, needs: 'session' as const })

export const OWN_PAGES: readonly ConsolePage[] = [
  { method: 'get', ...at(''), handle: (visit: OwnVisit) => ownScreen(visit) },
  { method: 'post', ...at('/add'), handle: makeScreen },
  { method: 'post', ...at('/passkey/options'), handle: options },
  { method: 'post', ...at('/passkey'), handle: make },
  { method: 'get', ...at('/remove'), handle: askToRemove },
  { method: 'post', ...at('/remove'), handle: remove },
  { method: 'post', ...at('/codes'), handle: codesScreen },
]
