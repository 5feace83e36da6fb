/** The fields of a form: how each kind is shown with what is wrong with it, and how it is read. */
import { CHOSEN_MAX } from '../../acts/act.ts'
import { TEXT_MAX_CHARS } from '../../acts/input.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { type Option, tick } from '../form-parts.ts'
import { type ConsoleKey, type TextKey, translateAny } from '../words/translate.ts'

/** What the fields have, checked against their kinds. A tick is `yes` or empty. */
export type FieldValues = Record<string, string>
/** A name of a thing that is not worded here, such as a setting of a driver. */
export type Label = TextKey | { as: string }

export type Kind = 'text' | 'long' | 'email' | 'tel' | 'url' | 'amount' | 'choice' | 'tick' | 'secret'
export type Field = {
  name: string
  label: Label
  kind: Kind
  hint?: Label
  /** What is set now, or usual. */
  value?: string
  /** Of a choice. Any other text is refused. */
  options?: readonly Option[]
  isOptional?: boolean
  /** Few people fill it in. It folds away. */
  isSeldom?: boolean
  max?: number
}
export type Problems = Record<string, string>

export const labelText = (locale: Locale, label: Label): string =>
  typeof label === 'string' ? translateAny(locale, label) : label.as

/** Reads the fields. `secrets`: those that an earlier press has kept; null where they are typed. */
export function readFields(
  locale: Locale,
  fields: readonly Field[],
  form: Record<string, string>,
  secrets: FieldValues | null,
): { given: FieldValues; problems: Problems } {
  const given: FieldValues = {}
  const problems: Problems = {}
  for (const field of fields) {
    const typed = field.kind === 'secret' && secrets ? secrets[field.name] : form[field.name]
    const text = typed?.replaceAll('\r\n', '\n').trim() ?? ''
    given[field.name] = field.kind === 'tick' ? (text === 'yes' ? 'yes' : '') : text
    const problem = problemOf(field, text)
    if (problem) problems[field.name] = translateAny(locale, problem, { chars: field.max ?? TEXT_MAX_CHARS })
  }
  return { given, problems }
}

function problemOf(
  { kind, options, isOptional, max = TEXT_MAX_CHARS }: Field,
  text: string,
): ConsoleKey | null {
  if (kind === 'tick') return null
  if (text === '') return isOptional ? null : 'setEmpty'
  if ([...text].length > max) return 'setLong'
  if (options && !options.some(([value]) => value === text)) return 'setChoice'
  return kind === 'url' && !URL.canParse(text) ? 'setUrl' : null
}

const TYPES: Partial<Record<Kind, string>> = { email: 'email', tel: 'tel', url: 'url', secret: 'password' }
const MODES: Partial<Record<Kind, string>> = { amount: 'decimal' }

export function fieldOf(locale: Locale, field: Field, typed: string | undefined, problem?: string): Markup {
  const { name, kind, label, options, isOptional } = field
  const value = typed ?? field.value ?? ''
  if (kind === 'tick')
    return html`${tick(name, labelText(locale, label), value === 'yes')}
      ${problem ? html`<p class="hint wrong" id=${`wrong-${name}`}>${problem}</p>` : null}`
  const id = `field-${name}`
  const about = [...(problem ? [`wrong-${name}`] : []), ...(field.hint ? [`hint-${name}`] : [])].join(' ')
  const common = {
    id,
    name,
    required: !isOptional,
    'aria-invalid': problem ? 'true' : undefined,
    'aria-describedby': about || undefined,
  }
  const isChoice = options !== undefined && options.length <= CHOSEN_MAX
  const input = isChoice
    ? html`<select ...${common}>
        ${isOptional ? html`<option value=""></option>` : null}
        ${options.map(([each, text]) => html`<option value=${each} selected=${each === value}>${text}</option>`)}
      </select>`
    : kind === 'long'
      ? html`<textarea ...${common} rows="3">${value}</textarea>`
      : // A secret that was typed is never shown again.
        html`<input ...${common} type=${TYPES[kind] ?? 'text'} value=${kind === 'secret' ? '' : value} inputmode=${MODES[kind]} autocomplete=${kind === 'secret' ? 'new-password' : 'off'} />`
  return html`<p class="field">
    <label for=${id}>${labelText(locale, label)}</label>
    ${input}
    ${problem ? html`<small id=${`wrong-${name}`} class="wrong">${problem}</small>` : null}
    ${field.hint ? html`<small id=${`hint-${name}`}>${hintText(locale, field.hint)}</small>` : null}
  </p>`
}

/** A driver describes its settings in English, with names and values between backticks. */
function hintText(locale: Locale, hint: Label): Markup {
  if (typeof hint === 'string') return html`<span>${translateAny(locale, hint)}</span>`
  const parts = hint.as.split('`')
  return html`<span lang="en">${parts.map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`))}</span>`
}
