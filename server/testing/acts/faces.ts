/** An act with its values as each face has them: the words of the command, and the fields of the console's form. */
import { type AnyRow, formOf } from '../../acts/act.ts'
import { type Field, fieldOf } from '../../acts/input.ts'
import { BASES } from '../../console/acts/scene.ts'
import { noLimitOf, tickOf } from '../../console/settings/row-texts.ts'
import { decimalAmount } from '../../payments/money.ts'
import type { RefundLimits } from '../../storage/access/users.ts'

type Values = Record<string, unknown>

const limitTexts = (limits: RefundLimits | null): string[] =>
  limits === null
    ? ['none']
    : Object.entries(limits).map(
        ([currency, amountMinor]) => `${decimalAmount(amountMinor, currency as 'USD')} ${currency}`,
      )

const flagTexts = (field: Field, value: unknown): string[] =>
  field.kind === 'limits'
    ? limitTexts(value as RefundLimits | null)
    : field.kind === 'settings'
      ? Object.entries(value as Record<string, string>).map(([name, text]) => `${name}=${text}`)
      : field.kind === 'amounts'
        ? (value as number[]).map((each) => decimalAmount(each, 'USD'))
        : field.kind === 'amount'
          ? [decimalAmount(value as number, 'USD')]
          : value instanceof Date
            ? [value.toISOString()]
            : [value].flat().map(String)

const dashed = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const flagOf = (member: string, field: Field) =>
  dashed(
    field.kind === 'shop'
      ? 'merchant'
      : field.kind === 'payment' || field.kind === 'account'
        ? field.kind
        : ('flag' in field && field.flag) || member,
  )

/** Returns the words of the command, without `--json`. */
export function wordsOf({ name, input }: AnyRow, given: Values): string[] {
  const flags = Object.entries(input).flatMap(([member, schema]) => {
    const field = fieldOf(schema)
    const value = given[member]
    if (value === undefined || field.kind === 'seen') return []
    if ((field.kind === 'unless' && value === true) || (field.kind === 'tick' && value === false)) return []
    if (Array.isArray(value) && value.length === 0) return []
    if (value === null && field.kind === 'amount') return [dashed(field.none ?? '')]
    return [
      flagOf(member, field),
      ...(['tick', 'unless'].includes(field.kind) ? [] : flagTexts(field, value)),
    ]
  })
  return [...name.split(' '), ...flags]
}

/** Returns what a person types into the form. A tick that is not set is sent empty, as in the confirmation. */
export function typedOf({ input }: AnyRow, given: Values): Record<string, string> {
  const typed: Record<string, string> = {}
  for (const [member, schema] of Object.entries(input)) {
    const field = fieldOf(schema)
    const value = given[member]
    if (field.kind === 'several of')
      for (const each of field.values)
        typed[tickOf(member, each)] =
          (value === undefined && !field.isOptional) || [value].flat().includes(each) ? 'yes' : ''
    else if (field.kind === 'limits') {
      typed[member] = value ? limitTexts(value as RefundLimits).join('\n') : ''
      typed[noLimitOf(member)] = value === null ? 'yes' : ''
    } else if (field.kind === 'amount') {
      typed[member] = typeof value === 'number' ? decimalAmount(value, 'USD') : ''
      typed[noLimitOf(member)] = value === null ? 'yes' : ''
    } else if (field.kind === 'settings')
      for (const [name, text] of Object.entries(value as Record<string, string>)) typed[`s_${name}`] = text
    else if (field.kind === 'lines') typed[member] = [value ?? []].flat().join('\n')
    else if (field.kind === 'tick') typed[member] = value === true ? 'yes' : ''
    else if (!['shop', 'account', 'seen', 'unless'].includes(field.kind)) typed[member] = String(value ?? '')
  }
  return typed
}

/** Returns for each field of the form a text that the act refuses, with the field that shows the problem. */
export function wrongOf({ input }: AnyRow): { typed: Record<string, string>; at: string }[] {
  return Object.entries(input).flatMap(([member, schema]) => {
    const field = fieldOf(schema)
    switch (field.kind) {
      case 'shop':
      case 'account':
      case 'seen':
      case 'tick':
      case 'unless':
        return []
      case 'settings':
        return [{ typed: { s_FAULT: 'no fault' }, at: 's_FAULT' }]
      case 'text':
      case 'words':
        return [{ typed: { [member]: 'x'.repeat(field.max + 1) }, at: member }]
      case 'several of': {
        if (field.isOptional) return []
        const none = Object.fromEntries(field.values.map((value) => [tickOf(member, value), '']))
        return [{ typed: none, at: tickOf(member, field.values[0] ?? '') }]
      }
      default:
        return [{ typed: { [member]: 'nothing of this kind' }, at: member }]
    }
  })
}

/** Returns for each text with a limit one that is longer, with the flag that refuses it. */
export function tooLongOf({ input }: AnyRow): { typed: Values; flag: string }[] {
  return Object.entries(input).flatMap(([member, schema]) => {
    const field = fieldOf(schema)
    if (!('max' in field)) return []
    const long = 'x'.repeat(field.max + 1)
    return [{ typed: { [member]: field.kind === 'lines' ? [long] : long }, flag: flagOf(member, field) }]
  })
}

export const pathOf = (row: AnyRow, merchantId: string, accountId = 'acc_none'): string =>
  `${BASES[row.place ?? 'shop'].replace(':world', 'sandbox').replace(':merchant', merchantId).replace(':account', accountId)}/${formOf(row)}`
