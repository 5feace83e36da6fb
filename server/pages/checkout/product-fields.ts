/** The fields with which a product asks its buyer. They work without a script, and a refused form keeps what was typed. */

import { refuseCardData } from '../../card-number/card-data.ts'
import { AppError } from '../../errors.ts'
import { type AskedFields, BUYER_FIELDS, type BuyerField } from '../../merchants/product.ts'
import { type PlainKey, translate } from '../../messages/translate.ts'
import type { Answers } from '../../payments/creation/buyer.ts'
import { html, type Markup } from '../html.ts'
import type { Locale } from '../words/locale.ts'

/** `maxChars`: in UTF-16 units, as a browser counts them. */
const KINDS: Record<BuyerField, { label: PlainKey; maxChars: number; autocomplete: string; rows?: number }> =
  {
    name: { label: 'pages.askName', maxChars: 120, autocomplete: 'name' },
    phone: { label: 'pages.askPhone', maxChars: 40, autocomplete: 'tel' },
    address: { label: 'pages.askAddress', maxChars: 300, autocomplete: 'street-address', rows: 3 },
    note: { label: 'pages.askNote', maxChars: 500, autocomplete: 'off', rows: 3 },
  }
/** Four texts of the greatest length, each character in six bytes, and the other fields of the form. */
export const FIELDS_FORM_BYTES = 8_192
const PHONE_DIGITS_MIN = 5

type Problem = 'pages.fieldCard' | 'pages.fieldLong' | 'pages.fieldMissing' | 'pages.fieldPhone'

/** One field of a page. `typed`: the buyer's earlier input, which is never a card number. */
export type FormField = {
  field: BuyerField
  label: string
  isRequired: boolean
  typed: string
  problem?: Problem | undefined
}

/** A provider's form may have fields with plain names, so ours have a name of their own. */
const inputName = (field: BuyerField) => `buyer_${field}`

export const hasFields = (form: Record<string, string>) =>
  BUYER_FIELDS.some((field) => form[inputName(field)] !== undefined)

/** `isChecked`: the buyer has sent the form, so each field says what is wrong with it. */
export function formFields(
  fields: AskedFields,
  locale: Locale,
  form: Record<string, string>,
  isChecked: boolean,
): FormField[] {
  return BUYER_FIELDS.flatMap((field) => {
    const wanted = fields[field]
    if (!wanted) return []
    const { isRequired, labels } = wanted
    const text = cleaned(form[inputName(field)] ?? '', KINDS[field].rows !== undefined)
    const label = labels?.[locale] ?? translate(locale, KINDS[field].label)
    const isCard = holdsCard(text, field)
    const problem = isCard ? 'pages.fieldCard' : problemOf(field, text, isRequired)
    return [{ field, label, isRequired, typed: isCard ? '' : text, ...(isChecked && problem && { problem }) }]
  })
}

/** Returns what the buyer wrote, or null if a field is wrong. The fields were made with `isChecked`. */
export function answersOf(fields: readonly FormField[]): Answers | null {
  if (fields.some(({ problem }) => problem)) return null
  return Object.fromEntries(fields.map(({ field, typed }) => [field, typed]))
}

/** A line has no line breaks. Nothing has other control characters, which no page and no label printer can show. */
function cleaned(text: string, hasLines: boolean): string {
  const lines = text.replaceAll(/\r\n?/g, '\n')
  return (hasLines ? lines : lines.replaceAll('\n', ' ')).replaceAll(/(?!\n)\p{Cc}/gu, '').trim()
}

function problemOf(field: BuyerField, text: string, isRequired: boolean): Problem | undefined {
  if (text === '') return isRequired ? 'pages.fieldMissing' : undefined
  if (text.length > KINDS[field].maxChars) return 'pages.fieldLong'
  const digits = text.match(/\p{Nd}/gu) ?? []
  return field === 'phone' && digits.length < PHONE_DIGITS_MIN ? 'pages.fieldPhone' : undefined
}

function holdsCard(text: string, field: BuyerField): boolean {
  try {
    refuseCardData(text, field)
    return false
  } catch (error) {
    if (error instanceof AppError) return true
    throw error
  }
}

const problemText = (locale: Locale, { field, problem }: FormField) =>
  problem ? translate(locale, problem, { max: KINDS[field].maxChars }) : null

export function fieldInputs(locale: Locale, fields: readonly FormField[] = []): Markup {
  return fields.map((each) => {
    const { field, label, isRequired, typed, problem } = each
    const { maxChars, autocomplete, rows } = KINDS[field]
    const id = inputName(field)
    const shared = {
      id,
      name: id,
      autocomplete,
      required: isRequired,
      maxlength: maxChars,
      'data-testid': id,
      ...(problem && { 'aria-invalid': 'true', 'aria-describedby': `${id}-problem` }),
    }
    return html`<div class="field">
      <label for=${id}>${label}${isRequired ? null : html` <small>(${translate(locale, 'pages.optional')})</small>`}</label>
      ${
        rows
          ? html`<textarea ...${shared} rows=${rows}>${typed}</textarea>`
          : html`<input ...${shared} type=${field === 'phone' ? 'tel' : 'text'} value=${typed} />`
      }
      ${problem ? html`<small class="wrong" id=${`${id}-problem`}>${problemText(locale, each)}</small>` : null}
    </div>`
  }) as Markup
}

/** Lists the wrong fields above the form, each as a link. The field itself says what is wrong with it. */
export function fieldsAlert(locale: Locale, fields: readonly FormField[] = []): Markup {
  const wrong = fields.filter(({ problem }) => problem)
  if (wrong.length === 0) return null
  return html`<div class="alert" role="alert">
    <p>${translate(locale, 'pages.fieldsRefused')}</p>
    <ul>${wrong.map((each) => html`<li><a href=${`#${inputName(each.field)}`}>${each.label}</a></li>`)}</ul>
  </div>`
}
