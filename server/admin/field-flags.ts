/** The flags of the fields with which a product asks its buyer. */
import { LANGUAGES, type Language } from '../contract/languages.ts'
import { AppError } from '../errors.ts'
import { type AskedFields, BUYER_FIELDS, type BuyerField } from '../merchants/product.ts'
import { type Flag, repeatable } from './flag.ts'

const NEEDS = ['off', 'optional', 'required'] as const
type Need = (typeof NEEDS)[number]
const CODES = Object.keys(LANGUAGES) as Language[]

const readField = (text: string) => {
  const [, field, need] = /^(\w+)=(\w+)$/.exec(text) ?? []
  return { field: chosen(text, field, BUYER_FIELDS), need: chosen(text, need, NEEDS) }
}

const readLabel = (text: string) => {
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

export const FIELD_FLAGS = {
  field: {
    ...repeatable(
      'F=NEED',
      `what its pages ask the buyer: F is ${BUYER_FIELDS.join(', ')}, NEED is ${NEEDS.join(', ')}`,
    ),
    read: (texts) => texts.map(readField),
  } as Flag<{ field: BuyerField; need: Need }[]>,
  fieldLabel: {
    ...repeatable(
      'F:LANG=TEXT',
      `the words beside a field on pages in LANG (${CODES.join(', ')}); no text means our own`,
    ),
    read: (texts) => texts.map(readLabel),
  } as Flag<{ field: BuyerField; language: Language; label: string }[]>,
}

type Given = { [Name in keyof typeof FIELD_FLAGS]: ReturnType<(typeof FIELD_FLAGS)[Name]['read']> }

/** Returns the fields as the command leaves them. @throws AppError validation_failed for the words of a field that is off */
export function fieldsOf({ field: needs, fieldLabel }: Given, before: AskedFields = {}): AskedFields {
  const fields: AskedFields = { ...before }
  for (const { field, need } of needs)
    if (need === 'off') delete fields[field]
    else fields[field] = { ...fields[field], isRequired: need === 'required' }
  for (const { field, language, label } of fieldLabel) {
    const now = fields[field]
    if (!now)
      throw new AppError('validation_failed', {
        message: `The product does not ask for ${field}: give --field ${field}=optional or --field ${field}=required too.`,
      })
    const { [language]: _, ...others } = now.labels ?? {}
    fields[field] = { ...now, labels: label === '' ? others : { ...others, [language]: label } }
  }
  return fields
}

/** One line for each field. */
export function fieldLines(fields: AskedFields = {}): string[] {
  return BUYER_FIELDS.flatMap((field) => {
    const askedField = fields[field]
    if (!askedField) return []
    const labels = Object.entries(askedField.labels ?? {}).map(
      ([language, label]) => `${label} (${language})`,
    )
    return [[`${field}: ${askedField.isRequired ? 'required' : 'optional'}`, ...labels].join(', ')]
  })
}
