/**
 * The second factor once more. A verb asks for it where an act is above a limit, whatever the page: the form then comes back with the
 * question, and sends everything again. A page that knows beforehand puts the question into its own form.
 */
import { beginSecondFactor, confirmSecondFactor } from '../access/second-factor.ts'
import type { Refusal } from '../access/sign-in.ts'
import type { OneAct } from '../audit/people.ts'
import { AppError } from '../errors.ts'
import { html, type Markup } from '../pages/html.ts'
import type { UserRecord } from '../storage/access/users.ts'
import { alertOf, field, hiddenFields, pictureField } from './form-parts.ts'
import type { OwnVisit, Screen, Visit } from './page.ts'
import { readAnswer, refusalText } from './sign-in/sign-in.ts'
import { translate } from './words/translate.ts'

type SignedInVisit = Visit & { user: UserRecord }

/** `problem`: what was wrong with the answer; null if there was none. */
export class SecondFactorNeeded extends Error {
  readonly act: OneAct
  readonly problem: string | null
  constructor(act: OneAct, problem: string | null) {
    super('The second factor is needed once more.')
    this.act = act
    this.problem = problem
  }
}

/** The fields that go into the form of the act. With a passkey the script fills `json` before it sends the form. */
export async function askSecondFactor(visit: SignedInVisit, act: OneAct): Promise<Markup> {
  const { ctx, user, origin, locale } = visit
  const { secret, options, hasCode } = await beginSecondFactor(ctx, user, { act, origin })
  const isNeither = !hasCode && options === null
  return html`<fieldset class="again" data-again=${options && JSON.stringify(options)} data-failed=${translate(locale, 'passkeyFailed')}>
    <legend>${translate(locale, 'againTitle')}</legend>
    <p>${translate(locale, isNeither ? 'againNeither' : options ? 'againPasskey' : 'againCode')}</p>
    ${hiddenFields({ again: secret, json: '' })}
    ${hasCode ? field({ name: 'code', label: translate(locale, 'code'), autocomplete: 'one-time-code', inputmode: 'text', isOptional: options !== null }) : null}
    <p role="status"></p>
  </fieldset>`
}

/** What a form asks beside its own fields; null if the role is enough, or the factor was shown lately. */
export const factorFormOf = async (
  visit: SignedInVisit & Pick<OwnVisit, 'isProved'>,
  one: OneAct | null,
): Promise<Markup> => (one && !visit.isProved(one) ? askSecondFactor(visit, one) : null)

/** @throws ProofNeeded until this person has shown it for this very act */
export async function expectSecondFactor(visit: SignedInVisit, act: OneAct): Promise<void> {
  const { ctx, user, origin, address, form, locale } = visit
  const { again: secret = '', code = '' } = form
  if (secret === '') throw new SecondFactorNeeded(act, null)
  const answer = readAnswer(form)
  let refusal: Refusal | null
  try {
    refusal = await confirmSecondFactor(ctx, user, { act, secret, answer, code, origin, address })
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'rate_limited')) throw error
    // Show the form again, so that nothing that was typed is lost.
    const seconds = error.details.retryAfterSeconds ?? 1
    throw new SecondFactorNeeded(act, translate(locale, 'againTooMany', { seconds }))
  }
  if (!refusal) return
  const wrong = answer ? 'passkeyWrong' : 'codeWrong'
  throw new SecondFactorNeeded(
    act,
    refusal.kind === 'over' ? translate(locale, 'againOver') : refusalText(locale, refusal, wrong),
  )
}

/** The same form once more, with the question. A page cannot carry a file, so a picture has to be chosen again. */
export async function secondFactorScreen(
  visit: SignedInVisit,
  { act, problem }: SecondFactorNeeded,
): Promise<Screen> {
  const { locale, chosen } = visit
  const { again: _again, json: _json, code: _code, ...form } = visit.form
  const title = translate(locale, 'againTitle')
  const body = html`<div class="narrow">
    <h1>${title}</h1>
    ${alertOf(problem ?? translate(locale, 'againNeeded'))}
    <form method="post" enctype=${chosen.length > 0 ? 'multipart/form-data' : null} class="fields">
      ${hiddenFields(form)} ${await askSecondFactor(visit, act)}
      ${chosen.map((name) => pictureField(visit, name, translate(locale, 'productPhoto')))}
      <button class="button">${translate(locale, 'next')}</button>
    </form>
  </div>`
  return { kind: 'screen', title, body, status: 422 }
}
