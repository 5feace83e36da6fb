import { type AnyRow, formOf, nounOf } from '../../acts/act.ts'
import { fieldOf, type Field as Member, type Schema } from '../../acts/input.ts'
import { findMessage, type MessageKey } from '../../messages/translate.ts'

export const isMessage = (key: string): key is MessageKey => findMessage('en', key) !== undefined

/** @throws Error for a row without a text, as soon as the program starts */
export function keyOf(key: string): MessageKey {
  if (isMessage(key)) return key
  throw new Error(`Bug! Add "${key.replace(/^acts\./, '')}" to acts.json in each folder of server/messages.`)
}

/** A text of the form itself, or that of all acts on the noun. */
export function findText(row: AnyRow, name: string): MessageKey | undefined {
  const keys = [`acts.${formOf(row)}.${name}`, `acts.${nounOf(row)}.${name}`]
  return keys.find(isMessage)
}
export const labelOf = (row: AnyRow, name: string): MessageKey =>
  findText(row, name) ?? keyOf(`acts.${nounOf(row)}.${name}`)

/** The tick beside limits: there is none. */
export const noLimitOf = (member: string) => `${member}_none`
export const tickOf = (member: string, value: string) => `${member}_${value.replaceAll('.', '_')}`

export type HiddenKind = 'shop' | 'account' | 'seen' | 'unless'
/** The address of the page names it, or what the person has seen. */
export const isHiddenField = (field: Member): field is Extract<Member, { kind: HiddenKind }> =>
  ['shop', 'account', 'seen', 'unless'].includes(field.kind)

export type Named = { row: AnyRow; member: string; field: Member }

/** @throws Error as soon as the program starts. A test holds that every language has the keys of the English catalogue. */
export function expectLabels(row: AnyRow): void {
  for (const { member, field } of membersOf(row)) {
    if (!isHiddenField(field) && field.kind !== 'settings') labelOf(row, member)
    if (field.kind === 'limits' || (field.kind === 'amount' && field.none)) labelOf(row, `${member}.none`)
  }
  for (const name of row.tells ?? []) labelOf(row, name)
}

export const membersOf = (row: AnyRow): (Named & { schema: Schema })[] =>
  Object.entries(row.input).map(([member, schema]) => ({ row, member, schema, field: fieldOf(schema) }))
