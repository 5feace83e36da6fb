/** The flags that are made of the members of an input. */
import { type Field, fieldOf, type Schema, type Shape } from '../../acts/input.ts'
import { CURRENCY_CODES, type CurrencyCode } from '../../contract/fields.ts'
import { AppError } from '../../errors.ts'
import { parseTypedAmount } from '../../payments/money.ts'
import type { RefundLimits } from '../../storage/access/users.ts'
import {
  count,
  day,
  type Flag,
  MERCHANT,
  optional,
  optionalChoice,
  past,
  repeatable,
  required,
  requiredChoice,
  several,
  severalChoices,
  toggle,
  VERSION,
} from '../flag.ts'
import { keyIn, type NamedAct, needed } from './texts.ts'

/** Returns a flag for each member that a command asks for. */
export const flagsOf = (row: NamedAct, input: Shape): MemberFlag[] =>
  Object.entries(input).flatMap(([member, schema]) => flagOf(row, member, schema) ?? [])

/** `member`: the name of the value in the input of the act. */
export type MemberFlag = { member: string; name: string; flag: Flag<unknown> }
const ABOUT = {
  shop: { name: 'merchant', flag: MERCHANT },
  account: { name: 'account', flag: required('ID', "the account's id (acc_...)") },
}

function flagOf(row: NamedAct, member: string, schema: Schema): MemberFlag | null {
  const field = fieldOf(schema)
  if (field.kind === 'seen' || field.kind === 'secret') return null
  if (field.kind === 'shop' || field.kind === 'account') return { member, ...ABOUT[field.kind] }
  if (field.kind === 'version') return { member, name: 'version', flag: VERSION }
  if (field.kind === 'payment')
    return { member, name: 'payment', flag: readable(field, schema, helpOf(row, member)) }
  const name = ('flag' in field && field.flag) || member
  return { member, name, flag: readable(field, schema, helpOf(row, member)) }
}

export const helpOf = (row: NamedAct, member: string): string => needed(keyIn(row, member))

/** The database, a file or another flag is needed for their values. */
const READ_LATER: readonly Field['kind'][] = ['amount', 'amounts', 'file', 'payment', 'past', 'settings']

/** The flag accepts what the form accepts. The others are checked then. */
function readable(field: FlagField, schema: Schema, help: string): Flag<unknown> {
  const flag = flagOfKind(field, help)
  if (READ_LATER.includes(field.kind)) return flag
  return {
    ...flag,
    read(texts) {
      const read = flag.read(texts)
      const value = typeof read === 'string' ? read.trim() : read
      const [issue] = schema.safeParse(value).error?.issues ?? []
      if (issue) throw new AppError('validation_failed', { message: issue.message })
      return value
    },
  }
}

type FlagField = Exclude<Field, { kind: 'seen' | 'shop' | 'account' | 'secret' | 'version' }>

function flagOfKind(field: FlagField, help: string): Flag<unknown> {
  switch (field.kind) {
    case 'choice':
      return required(field.placeholder, help)
    case 'amount':
      return (field.isOptional ? optional : required)(field.placeholder, help)
    case 'payment':
      return (field.byNumber ? optional : required)('ID', help)
    case 'text':
    case 'url':
    case 'words':
      return (field.isOptional ? optional : required)(field.placeholder, help)
    case 'lines':
    case 'amounts':
      return repeatable(field.placeholder, help)
    case 'file':
      return optional(field.placeholder, help)
    case 'count': {
      const flag = count(field.placeholder, help, { max: field.most, fallback: 1 })
      return { ...flag, read: (texts) => (texts.length === 0 ? undefined : flag.read(texts)) }
    }
    case 'day':
      return day(field.placeholder, help)
    case 'past':
      return past(field.placeholder, help)
    case 'tick':
      return toggle(help)
    case 'unless': {
      const flag = toggle(help)
      return { ...flag, read: (texts) => !flag.read(texts) }
    }
    case 'settings':
      return several('NAME=VALUE', help)
    case 'one of': {
      if (field.isNeeded) return requiredChoice(field.placeholder, help, field.values)
      const flag = optionalChoice(field.placeholder, help, field.values)
      return { ...flag, read: (texts) => flag.read(texts) ?? field.preset }
    }
    case 'several of':
      return severalChoices(field.placeholder, help, field.values)
    case 'limits':
      return refundLimit(help)
  }
}

const NONE = 'none'

/** `100.00 USD`, once for each currency, or `none` for no limit. Undefined if it is not given. */
export function refundLimit(help: string): Flag<RefundLimits | null | undefined> {
  return {
    ...repeatable('A', `${help}, such as "100.00 USD"`),
    read(texts) {
      if (texts.length === 0) return undefined
      return texts.includes(NONE) ? null : Object.fromEntries(texts.map(readLimit))
    },
  }
}

function readLimit(text: string): [CurrencyCode, number] {
  const [, amount = '', code = ''] = /^(.*\S) ?([A-Za-z]{3})$/.exec(text.trim()) ?? []
  const currency = CURRENCY_CODES.find((each) => each === code.toUpperCase())
  if (currency) return [currency, parseTypedAmount(amount, currency)]
  throw new AppError('validation_failed', {
    message: `must be an amount such as "100.00 USD", not "${text}".`,
  })
}
