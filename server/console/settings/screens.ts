/** The three screens of every setting: the form, what it will change, and what came of it. */
import { versionOf } from '../../merchants/version.ts'
import { html, type Markup } from '../../pages/html.ts'
import { alertOf, backButton, hiddenFields } from '../form-parts.ts'
import type { Screen } from '../page.ts'
import { backTo } from '../page-parts.ts'
import { factList } from '../parts.ts'
import { translate, translateAny } from '../words/translate.ts'
import type { ChangeLine, Given, Outcome, Scene, SettingAct } from './act.ts'
import { type Field, fieldOf, labelText, type Problems } from './fields.ts'
import { keepSecrets } from './kept.ts'

export type FormProblems = { problem?: string | undefined; detail?: string | null; problems?: Problems }

export function formScreen(act: SettingAct, scene: Scene, present: object, wrong: FormProblems = {}): Screen {
  const { visit, path, name } = scene
  const { locale, form, query } = visit
  const title = translateAny(locale, act.title)
  const whyNot = act.whyNot(present)
  const fields = act.fields(present, scene)
  const isSent = form.seen !== undefined
  // An address may choose, and nothing else: what is typed stays in the form.
  const typed = ({ name, options, kind }: Field) =>
    isSent ? (form[name] ?? (kind === 'tick' ? '' : undefined)) : options ? query[name] : undefined
  const shown = (field: Field) => fieldOf(locale, field, typed(field), wrong.problems?.[field.name])
  const { usual = [], seldom = [] } = Object.groupBy(fields, ({ isSeldom }) =>
    isSeldom ? 'seldom' : 'usual',
  )
  const isWrong = wrong.problem !== undefined || wrong.problems !== undefined
  const body = html`<div class="narrow">
    <h1>${title}</h1>
    ${alertOf(wrong.problem ?? (wrong.problems ? translate(locale, 'setWrong') : undefined))}
    ${wrong.detail ? html`<p class="advice" lang="en">${wrong.detail}</p>` : null}
    <p class="lead">${translateAny(locale, act.lead)}</p>
    ${
      whyNot
        ? html`<p class="advice">${translateAny(locale, whyNot)}</p>`
        : html`<form method="post" class="fields" novalidate>
            ${hiddenFields({ seen: versionOf(present) })}
            ${usual.map(shown)}
            ${seldom.length > 0 ? html`<details class="more" open=${seldom.some(({ name: each }) => wrong.problems?.[each] !== undefined)}><summary>${translate(locale, 'setSeldom')}</summary>${seldom.map(shown)}</details>` : null}
            <button class="button">${translate(locale, 'setLook')}</button>
          </form>`
    }
    ${backTo(path, name)}
  </div>`
  return { kind: 'screen', title, body, ...(isWrong && { status: 422 }) }
}

type ConfirmView = {
  present: object
  fields: readonly Field[]
  given: Given
  lines: readonly ChangeLine[]
  factorForm: Markup
}

/** `proof`: what shows once more who the person is. */
export function sureScreen(act: SettingAct, scene: Scene, sure: ConfirmView): Screen {
  const { visit, path, name } = scene
  const { locale } = visit
  const { present, fields, given, lines, factorForm } = sure
  const title = translateAny(locale, act.title)
  const open = Object.fromEntries(
    fields.filter(({ kind }) => kind !== 'secret').map((field) => [field.name, given[field.name] ?? '']),
  )
  const body = html`<div class="narrow">
    <h1>${title}</h1>
    <p class="sentence">${translateAny(locale, act.lead)}</p>
    <p><bdi>${name}</bdi></p>
    ${factList(
      lines.map(
        ([label, before, after]) =>
          [labelText(locale, label), !before && after === null ? null : bothSides(before, after)] as const,
      ),
    )}
    <form method="post" class="fields">
      ${hiddenFields({ ...open, ...keepSecrets(scene, act, fields, given), seen: versionOf(present), confirm: 'yes' })}
      ${factorForm}
      <button class="button">${title}</button>
      ${fields.length > 0 ? backButton(translate(locale, 'changeTyped')) : null}
    </form>
    ${backTo(path, name)}
  </div>`
  return { kind: 'screen', title, body }
}

const bothSides = (before: string | null | undefined, after: string | null) =>
  before === undefined ? after : `${before || '–'} → ${after || '–'}`

/** What was made is shown this once, and what came of it. */
export function outcomeScreen(
  act: SettingAct,
  { visit, path, name }: Scene,
  outcome: Extract<Outcome, object>,
): Screen {
  const { locale } = visit
  const title = translateAny(locale, act.title)
  const shown =
    'secrets' in outcome
      ? html`<p class="done" role="status">${translate(locale, 'setSecret')}</p>
          ${outcome.secrets.map(([label, text]) => html`<p>${translateAny(locale, label)}</p><p><code class="secret">${text}</code></p>`)}`
      : html`<p class=${outcome.isBad ? 'alert' : 'done'} role="status">${translateAny(locale, outcome.message, outcome.values)}</p>
          ${factList(outcome.lines.map(([label, text]) => [labelText(locale, label), text] as const))}`
  const body = html`<div class="narrow">
    <h1>${title}</h1>
    ${shown} ${backTo(path, name)}
  </div>`
  return { kind: 'screen', title, body }
}
