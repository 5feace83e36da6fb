/** The three screens of every act: the form, what it will do, and what came of it. */
import { versionOf } from '../../merchants/version.ts'
import { html, type Markup } from '../../pages/html.ts'
import { alertOf, backButton, hiddenFields, noticeOf } from '../form-parts.ts'
import type { Screen } from '../page.ts'
import { backTo, narrowScreen } from '../page-parts.ts'
import { factList } from '../parts.ts'
import { translate, translateAny } from '../words/translate.ts'
import type { FormAct, Given, Outcome, Scene, ScreenTexts, Seen } from './act.ts'
import { type Field, fieldOf, labelText, type Problems } from './fields.ts'
import { keepSecrets } from './kept.ts'

export type FormProblems = { problem?: string | undefined; detail?: string | null; problems?: Problems }

/** What a form has seen, which its second press and its answer must find unchanged. */
export const stateOf = (act: FormAct, present: object): object | string => act.stateOf?.(present) ?? present

export function formScreen(act: FormAct, seen: Seen, wrong: FormProblems = {}): Screen {
  const { visit, path, name, present } = seen
  const { locale, form, query } = visit
  const { title, lead, notes, button } = act.texts(seen)
  const whyNot = act.whyNot(seen)
  const fields = act.fields(seen)
  const isSent = form.seen !== undefined
  // An address may choose, and nothing else: what is typed stays in the form.
  const typed = ({ name, options, kind }: Field) =>
    isSent ? (form[name] ?? (kind === 'tick' ? '' : undefined)) : options ? query[name] : undefined
  const shown = (field: Field) => fieldOf(locale, field, typed(field), wrong.problems?.[field.name])
  const { usual = [], seldom = [] } = Object.groupBy(fields, ({ isSeldom }) =>
    isSeldom ? 'seldom' : 'usual',
  )
  const isWrong = wrong.problem !== undefined || wrong.problems !== undefined
  const body = html`${alertOf(wrong.problem ?? (wrong.problems ? translate(locale, 'setWrong') : undefined))}
    ${wrong.detail ? html`<p class="advice" lang="en">${wrong.detail}</p>` : null}
    ${lead === null ? null : html`<p class="lead">${lead}</p>`}
    ${notes}
    ${
      whyNot
        ? html`<p class="advice">${labelText(locale, whyNot)}</p>`
        : html`<form method="post" class="fields" novalidate>
            ${hiddenFields({ seen: versionOf(stateOf(act, present)) })}
            ${usual.map(shown)}
            ${seldom.length > 0 ? html`<details class="more" open=${seldom.some(({ name: each }) => wrong.problems?.[each] !== undefined)}><summary>${translate(locale, 'setSeldom')}</summary>${seldom.map(shown)}</details>` : null}
            <button class="button">${button}</button>
          </form>`
    }`
  return narrowScreen({ title, body, back: [path, name], ...(isWrong && { status: 422 }) })
}

type ConfirmView = {
  fields: readonly Field[]
  given: Given
  texts: ScreenTexts
  factorForm: Markup
}

/** `factorForm`: what shows once more who the person is, where that is needed. */
export function confirmScreen(act: FormAct, seen: Seen, sure: ConfirmView): Screen {
  const { visit, path, name, present } = seen
  const { locale } = visit
  const { fields, given, texts, factorForm } = sure
  const { title, lead, notes, button, carried } = texts
  const open = Object.fromEntries(
    fields.filter(({ kind }) => kind !== 'secret').map((field) => [field.name, given[field.name] ?? '']),
  )
  const body = html`<p class="sentence">${lead}</p>
    ${notes}
    <form method="post" class="fields">
      ${hiddenFields({ ...open, ...carried, ...keepSecrets(seen, act, fields, given), seen: versionOf(stateOf(act, present)), confirm: 'yes' })}
      ${factorForm}
      <button class="button">${button}</button>
      ${fields.length > 0 ? backButton(translate(locale, 'changeTyped')) : null}
    </form>`
  return narrowScreen({ title, body, back: [path, name] })
}

/** What was made is shown this once, and what came of it. */
export function outcomeScreen(
  act: FormAct,
  { visit, path, name }: Scene,
  outcome: Extract<Outcome, object>,
): Screen {
  const { locale } = visit
  const title = translateAny(locale, act.title)
  const shown =
    'secrets' in outcome
      ? html`${noticeOf(translate(locale, 'setSecret'))}
          ${outcome.secrets.map(([label, text]) => html`<p>${translateAny(locale, label)}</p><p><code class="secret">${text}</code></p>`)}`
      : html`<p class=${outcome.isBad ? 'alert' : 'done'} role="status">${translateAny(locale, outcome.message, outcome.values)}</p>
          ${factList(outcome.lines.map(([label, text]) => [labelText(locale, label), text] as const))}`
  const body = html`${shown} ${backTo(path, name)}`
  return narrowScreen({ title, body })
}
