/**
 * What a person fills in for an act. Each member of an input is a zod schema, which says what the act accepts, and a field, which says
 * how the member is filled in. The command line makes a flag of it, and the console a field of a form.
 */
import { z } from 'zod'
import { CURRENCY_CODES } from '../contract/fields.ts'
import { asBrowsersSend } from '../merchants/origin-spelling.ts'

/**
 * `flag`: the name of the flag, if the member has another name. `placeholder`: of its value in the help. `preset`: the value of a
 * person who chooses nothing.
 */
export type Field =
  /** The shop or the account that the act is about. The address of the console's page names it. */
  | { kind: 'shop' }
  | { kind: 'account' }
  /** What the person has seen, so that the act changes nothing else. Nobody fills it in. */
  | { kind: 'seen' }
  /** One of the things that `choices` of the row returns, by its id. */
  | { kind: 'choice'; flag?: string; placeholder: string }
  /** `max`: in characters. */
  | { kind: 'text' | 'url'; flag?: string; placeholder: string; max: number; isOptional: boolean }
  /** In the currency that the row returns. */
  | { kind: 'amount'; flag?: string; placeholder: string; isOptional: boolean }
  /** `byNumber`: the number that the buyer reads out serves as well as the id. */
  | { kind: 'payment'; byNumber: boolean }
  /** The version of a thing that the person saw, as the command `show` prints it. */
  | { kind: 'version' }
  /** Any number of texts, one on each line of the form. */
  | { kind: 'lines'; flag?: string; placeholder: string; max: number }
  | { kind: 'tick'; flag?: string }
  /** `words`: the prefix of the values' names in `messages/LANGUAGE/approvals.json`; absent: they are shown as they are. */
  | {
      kind: 'one of'
      values: readonly string[]
      flag?: string
      placeholder: string
      preset?: string
      isNeeded?: true
      words?: 'overlap'
    }
  | { kind: 'several of'; flag?: string; values: readonly string[]; placeholder: string }
  /** Refund limits, one for each currency. */
  | { kind: 'limits'; flag?: string }
  /** A text that no page and no log repeats. */
  | { kind: 'secret' }

export type Schema = z.ZodType
export type Shape = Record<string, Schema>
/** The values of an input. */
export type Given<Input extends Shape> = z.output<z.ZodObject<Input>>

const FIELDS = z.registry<Field>()

export function fieldOf(member: Schema): Field {
  const field = FIELDS.get(member)
  if (!field) throw new Error('Bug! A member of an input was not made by a function of acts/input.ts.')
  return field
}

/** Of a text without a limit of its own. */
export const TEXT_MAX_CHARS = 2_000

const isShort = (text: string, max: number) => [...text].length <= max
const atMost = (max: number) => `must have at most ${max} characters.`
/** Counts characters as PostgreSQL does, not UTF-16 units. */
const upTo = (max: number) => z.string().refine((given) => isShort(given, max), atMost(max))

export const shop = () => upTo(TEXT_MAX_CHARS).register(FIELDS, { kind: 'shop' })
export const account = () => upTo(TEXT_MAX_CHARS).register(FIELDS, { kind: 'account' })

/** A value that nobody fills in. */
export function bound<Member extends Schema>(member: Member): Member {
  FIELDS.add(member, { kind: 'seen' })
  return member
}

export const seen = () => bound(z.string().optional())

export const choice = (field: { flag?: string; placeholder: string }) =>
  upTo(TEXT_MAX_CHARS).register(FIELDS, { kind: 'choice', ...field })

/** In the console alone: on a command line the shell would keep it. */
export const secret = ({ startsWith }: { startsWith: string }) =>
  upTo(TEXT_MAX_CHARS)
    .refine((given) => given.startsWith(startsWith))
    .register(FIELDS, { kind: 'secret' })

type Text = { flag?: string; placeholder: string; max?: number }

export const text = ({ max = TEXT_MAX_CHARS, ...field }: Text) =>
  upTo(max).register(FIELDS, { kind: 'text', max, isOptional: false, ...field })

/**
 * A whole address. Whoever uses it decides which ones are right. The host of an origin in its own script becomes what browsers send, so
 * whoever approves sees what is stored.
 */
export const url = ({ max = TEXT_MAX_CHARS, ...field }: Text) =>
  upTo(max)
    .transform(asBrowsersSend)
    .register(FIELDS, { kind: 'url', max, isOptional: false, ...field })

const WHY_MAX_CHARS = 240

/** The reason of a decision. Stored without one, it is of a version that did not ask for it. */
export const why = ({ isOptional }: { isOptional: boolean }) =>
  upTo(WHY_MAX_CHARS)
    .nullable()
    .optional()
    .register(FIELDS, { kind: 'text', placeholder: 'TEXT', max: WHY_MAX_CHARS, isOptional })

export const amount = (field: { flag?: string; placeholder: string }) =>
  z
    .number()
    .int()
    .register(FIELDS, { kind: 'amount', isOptional: false, ...field })

export const optionalAmount = (field: { flag?: string; placeholder: string }) =>
  z
    .number()
    .int()
    .optional()
    .register(FIELDS, { kind: 'amount', isOptional: true, ...field })

export const payment = ({ byNumber }: { byNumber: boolean }) =>
  upTo(TEXT_MAX_CHARS).register(FIELDS, { kind: 'payment', byNumber })

export const version = () => z.number().int().optional().register(FIELDS, { kind: 'version' })

export const optionalText = ({ max = TEXT_MAX_CHARS, ...field }: Text) =>
  upTo(max)
    .optional()
    .register(FIELDS, { kind: 'text', max, isOptional: true, ...field })

export const optionalUrl = ({ max = TEXT_MAX_CHARS, ...field }: Text) =>
  upTo(max)
    .optional()
    .register(FIELDS, { kind: 'url', max, isOptional: true, ...field })

export const lines = (field: { flag?: string; placeholder: string }) =>
  z
    .array(z.string().transform(asBrowsersSend))
    .refine((given) => isShort(given.join('\n'), TEXT_MAX_CHARS), atMost(TEXT_MAX_CHARS))
    .register(FIELDS, { kind: 'lines', max: TEXT_MAX_CHARS, ...field })

export const tick = (field: { flag?: string }) =>
  z
    .boolean()
    .optional()
    .register(FIELDS, { kind: 'tick', ...field })

export const oneOf = <const Value extends string>(
  values: readonly Value[],
  field: { preset: Value; placeholder: string; words: 'overlap' },
) => z.enum(values).register(FIELDS, { kind: 'one of', values, ...field })

export const oneOfNeeded = <const Value extends string>(
  values: readonly Value[],
  field: { placeholder: string },
) => z.enum(values).register(FIELDS, { kind: 'one of', values, isNeeded: true, ...field })

/** Undefined: none of them. */
export const oneOfOrNone = <const Value extends string>(
  values: readonly Value[],
  field: { flag?: string; placeholder: string },
) =>
  z
    .enum(values)
    .optional()
    .register(FIELDS, { kind: 'one of', values, ...field })

/** Undefined: all of them. */
export const severalOf = <const Value extends string>(
  values: readonly Value[],
  field: { flag?: string; placeholder: string },
) =>
  z
    .array(z.enum(values))
    .optional()
    .register(FIELDS, { kind: 'several of', values, ...field })

/** Undefined: nothing is said, so the act decides. Null: no limit. */
export const limits = (field: { flag?: string }) =>
  z
    .partialRecord(z.enum(CURRENCY_CODES), z.number().int())
    .nullable()
    .optional()
    .register(FIELDS, { kind: 'limits', ...field })
