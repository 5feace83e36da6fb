import type { AnyRow } from '../../acts/act.ts'
import type { Schema } from '../../acts/input.ts'
import { CURRENCY_CODES } from '../../contract/fields.ts'
import type { Scene } from '../acts/act.ts'
import type { FieldValues } from '../acts/fields.ts'
import { readAmount, readLimits } from '../typed-amount.ts'
import type { TextKey } from '../words/translate.ts'
import { isNothingNew, writtenIn } from './driver-fields.ts'
import { findText, isHiddenField, labelOf, membersOf, type Named, noLimitOf, tickOf } from './row-texts.ts'

/** Returns the value of a member; undefined if the person has said nothing, or nothing that can be read. */
export function givenOf(named: Pick<Named, 'member' | 'field'>, given: FieldValues, about: string): unknown {
  const { member, field } = named
  switch (field.kind) {
    case 'shop':
    case 'account':
      return about
    case 'seen':
      return undefined
    case 'unless':
      return field.inForm
    case 'settings':
      return writtenIn(given)
    case 'several of': {
      const ticked = field.values.filter((value) => given[tickOf(member, value)] === 'yes')
      return ticked.length === 0 && field.isOptional ? undefined : ticked
    }
    case 'lines':
      return (given[member] ?? '').split('\n').flatMap((line) => line.trim() || [])
    case 'tick':
      return given[member] === 'yes'
    case 'amount': {
      if (given[noLimitOf(member)] === 'yes') return null
      const read = readMinor(named, given)
      return typeof read === 'string' ? undefined : read
    }
    case 'limits':
      return given[noLimitOf(member)] === 'yes' ? null : (readLimits(given[member] ?? '') ?? undefined)
    default:
      return given[member] || undefined
  }
}

/** Returns minor units, or what is wrong with the amount. */
export function readMinor({ member, field }: Pick<Named, 'member' | 'field'>, given: FieldValues) {
  const code = field.kind === 'amount' ? given[field.currencyOf ?? ''] : undefined
  const currency = CURRENCY_CODES.find((each) => each === code)
  return currency ? readAmount(given[member], currency) : 'amountWrong'
}

export function inputOf(row: AnyRow, given: FieldValues, { about }: Pick<Scene, 'about'>): object {
  const values = membersOf(row).map((each) => [each.member, givenOf(each, given, about)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/** What is wrong with a member, as the field at which it stands and the text. */
export function problemOf(
  named: Named & { schema: Schema },
  given: FieldValues,
  present: object,
): readonly [string, TextKey] | null {
  const { row, member, field, schema } = named
  if (isHiddenField(field) || field.kind === 'choice') return null
  if (field.kind === 'settings') {
    const settings = row.driverOf?.(present).settings
    const [first = ''] = Object.keys(given)
    return settings && isNothingNew(given, settings) ? [first, 'setNothing'] : null
  }
  if (field.kind === 'amount') {
    const isNone = given[noLimitOf(member)] === 'yes'
    if (isNone) return given[member] === '' ? null : [member, labelOf(row, `${member}.wrong`)]
    const read = readMinor(named, given)
    return typeof read === 'number' ? null : [member, read === 'amountNotWhole' ? read : 'amountWrong']
  }
  if (field.kind === 'limits') {
    const typed = given[member] ?? ''
    const isEither = typed === '' || given[noLimitOf(member)] !== 'yes'
    return isEither && readLimits(typed) !== undefined ? null : [member, 'userLimitsWrong']
  }
  const hint = findText(row, `${member}.hint`) ?? 'setChoice'
  const value = givenOf(named, given, '')
  if (field.kind === 'several of')
    return value === undefined || (Array.isArray(value) && value.length > 0)
      ? null
      : [tickOf(member, field.values[0] ?? ''), hint]
  return value === undefined || schema.safeParse(value).success ? null : [member, hint]
}

/** What does not fit the other fields, once each of them fits by itself. */
export function misfitOf(row: AnyRow, given: FieldValues, about: string): readonly [string, TextKey] | null {
  const member = row.wrong?.(inputOf(row, given, { about }))
  return member ? [member, labelOf(row, `${member}.wrong`)] : null
}
