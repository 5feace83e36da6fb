/** The fields with which a product asks its buyer, as they are written: `phone=optional`, and `address:en=Where to?` for its words. */
import { LANGUAGES, type Language } from '../../contract/languages.ts'
import { AppError } from '../../errors.ts'
import { type AskedFields, BUYER_FIELDS, type BuyerField } from '../../merchants/product.ts'

const NEEDS = ['off', 'optional', 'required'] as const
const CODES = Object.keys(LANGUAGES) as Language[]

type AskedField = { field: BuyerField; need: (typeof NEEDS)[number] }
type AskedLabel = { field: BuyerField; language: Language; label: string }

/** @throws AppError validation_failed */
export function readAskedField(text: string): AskedField {
  const [, field, need] = /^(\w+)=(\w+)$/.exec(text) ?? []
  return { field: chosen(text, field, BUYER_FIELDS), need: chosen(text, need, NEEDS) }
}

/** @throws AppError validation_failed */
export function readAskedLabel(text: string): AskedLabel {
  const [, field, language, label = ''] = /^(\w+):(\w+)=(.*)$/s.exec(text) ?? []
  return {
    field: chosen(text, field, BUYER_FIELDS),
    language: chosen(text, language, CODES),
    label: label.trim(),
  }
}

function chosen<Choice extends string>(
  text: string,
  part: string | undefined,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((each) => each === part)
  if (found !== undefined) return found
  const message = `must be such as phone=optional or "address:en=Where to?" for its words; "${text}" has none of ${choices.join(', ')} in its place.`
  throw new AppError('validation_failed', { message })
}

/** Returns the fields afterwards. No text of a label means our own. @throws AppError validation_failed for the words of a field that is off */
export function mergeAsked(
  before: AskedFields,
  needs: readonly AskedField[],
  labels: readonly AskedLabel[],
): AskedFields {
  const fields: AskedFields = { ...before }
  for (const { field, need } of needs)
    if (need === 'off') delete fields[field]
    else fields[field] = { ...fields[field], isRequired: need === 'required' }
  for (const { field, language, label } of labels) {
    const now = fields[field]
    if (!now)
      throw new AppError('validation_failed', {
        message: `The product does not ask for ${field}: give --field ${field}=optional or --field ${field}=required too.`,
      })
    const { [language]: _, ...others } = now.labels ?? {}
    const texts = label === '' ? others : { ...others, [language]: label }
    fields[field] = { isRequired: now.isRequired, ...(Object.keys(texts).length > 0 && { labels: texts }) }
  }
  return fields
}

/** One line for each field. */
export function askedLines(fields: AskedFields): string[] {
  return BUYER_FIELDS.flatMap((field) => {
    const asked = fields[field]
    if (!asked) return []
    const labels = Object.entries(asked.labels ?? {}).map(([language, label]) => `${label} (${language})`)
    return [[`${field}: ${asked.isRequired ? 'required' : 'optional'}`, ...labels].join(', ')]
  })
}
