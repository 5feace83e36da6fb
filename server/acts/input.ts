/**
 * The inputs of acts. Each member of an input has a zod schema, which checks the value, and a field, which describes how a person fills
 * it in. The command line makes a flag of it, and the console a field of a form.
 */
import { z } from 'zod'
import { CURRENCY_CODES } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { asBrowsersSend } from '../merchants/origin-spelling.ts'
import { FIELDS, type Field, type Schema, type Shape } from './field.ts'

export { type Field, fieldOf, type Given, type Schema, type Shape } from './field.ts'

/** The limit of a text that has no limit of its own. */
export const TEXT_MAX_CHARS = 2_000

const isShort = (text: string, max: number) => [...text].length <= max
const atMost = (max: number) => `must have at most ${max} characters.`
/** Counts characters as PostgreSQL does, not UTF-16 units. */
const upTo = (max: number) => z.string().refine((given) => isShort(given, max), atMost(max))

export const shop = () => upTo(TEXT_MAX_CHARS).register(FIELDS, { kind: 'shop' })
export const account = () => upTo(TEXT_MAX_CHARS).register(FIELDS, { kind: 'account' })

/** A value that the page or the command fills in, not the person. */
export function bound<Member extends Schema>(member: Member): Member {
  FIELDS.add(member, { kind: 'seen' })
  return member
}

export const seen = () => bound(z.string().optional())

export const choice = (field: { flag?: string; placeholder: string }) =>
  upTo(TEXT_MAX_CHARS).register(FIELDS, { kind: 'choice', ...field })

/** The console alone asks for it. On a command line it would stay in the history of the shell. */
export const secret = ({ startsWith }: { startsWith: string }) =>
  upTo(TEXT_MAX_CHARS)
    .refine((given) => given.startsWith(startsWith))
    .register(FIELDS, { kind: 'secret' })

type Text = { flag?: string; placeholder: string; max?: number }

export const text = ({ max = TEXT_MAX_CHARS, ...field }: Text) =>
  upTo(max).register(FIELDS, { kind: 'text', max, isOptional: false, ...field })

/**
 * A complete address. The act checks which addresses it accepts. The host of an origin in its own script becomes what browsers send, so
 * the person who approves the act sees what will be stored.
 */
export const url = ({ max = TEXT_MAX_CHARS, ...field }: Text) =>
  upTo(max)
    .transform(asBrowsersSend)
    .register(FIELDS, { kind: 'url', max, isOptional: false, ...field })

const WHY_MAX_CHARS = 240

/** The reason of a decision. Proposals that were stored by earlier versions may have none. */
export const why = ({ isOptional }: { isOptional: boolean }) =>
  upTo(WHY_MAX_CHARS)
    .nullable()
    .optional()
    .register(FIELDS, { kind: 'words', placeholder: 'TEXT', max: WHY_MAX_CHARS, isOptional })

export const words = ({ max = TEXT_MAX_CHARS }: { max?: number }) =>
  upTo(max).register(FIELDS, { kind: 'words', placeholder: 'TEXT', max, isOptional: false })

export const optionalWords = ({ max = TEXT_MAX_CHARS }: { max?: number }) =>
  upTo(max).optional().register(FIELDS, { kind: 'words', placeholder: 'TEXT', max, isOptional: true })

export const amount = (field: { flag?: string; placeholder: string; currencyOf?: string }) =>
  z
    .number()
    .int()
    .register(FIELDS, { kind: 'amount', isOptional: false, ...field })

export const optionalAmount = (field: { flag?: string; placeholder: string; currencyOf?: string }) =>
  z
    .number()
    .int()
    .optional()
    .register(FIELDS, { kind: 'amount', isOptional: true, ...field })

/** Null: no amount. */
export const amountOrNone = (field: {
  flag: string
  none: string
  placeholder: string
  currencyOf: string
}) =>
  z
    .number()
    .int()
    .nullable()
    .register(FIELDS, { kind: 'amount', isOptional: true, ...field })

export const payment = ({ byNumber }: { byNumber: boolean }) =>
  upTo(TEXT_MAX_CHARS).register(FIELDS, { kind: 'payment', byNumber })

export const amounts = (field: { flag?: string; placeholder: string; currencyOf: string }) =>
  z
    .array(z.number().int())
    .optional()
    .register(FIELDS, { kind: 'amounts', ...field })

export const count = ({ most, ...field }: { flag?: string; placeholder: string; most: number }) =>
  z
    .number()
    .int()
    .min(1)
    .max(most)
    .optional()
    .register(FIELDS, { kind: 'count', most, ...field })

export const day = (field: { flag?: string; placeholder: string }) =>
  z
    .string()
    .optional()
    .register(FIELDS, { kind: 'day', ...field })

export const file = (field: { flag?: string; placeholder: string }) =>
  z
    .instanceof(Buffer)
    .optional()
    .register(FIELDS, { kind: 'file', ...field })

export const past = (field: { flag?: string; placeholder: string }) =>
  z
    .date()
    .optional()
    .register(FIELDS, { kind: 'past', ...field })

export const version = () => z.number().int().optional().register(FIELDS, { kind: 'version' })

export const optionalText = ({ max = TEXT_MAX_CHARS, ...field }: Text) =>
  upTo(max)
    .optional()
    .register(FIELDS, { kind: 'text', max, isOptional: true, ...field })

/** The id of a shop. Null: all of them, which is typed as `all`. */
export const shopOrAll = (field: { flag: string; placeholder: string }) =>
  upTo(TEXT_MAX_CHARS)
    .transform((given) => (given === 'all' ? null : given))
    .nullable()
    .optional()
    .register(FIELDS, { kind: 'text', max: TEXT_MAX_CHARS, isOptional: true, ...field })

export const optionalUrl = ({ max = TEXT_MAX_CHARS, ...field }: Text) =>
  upTo(max)
    .optional()
    .register(FIELDS, { kind: 'url', max, isOptional: true, ...field })

export const lines = (field: { flag?: string; placeholder: string }) =>
  z
    .array(z.string().transform(asBrowsersSend))
    .refine((given) => isShort(given.join('\n'), TEXT_MAX_CHARS), atMost(TEXT_MAX_CHARS))
    .register(FIELDS, { kind: 'lines', max: TEXT_MAX_CHARS, ...field })

/** Lines that `read` must accept. The message of the AppError that `read` throws is shown at the field. */
export const linesRead = (
  read: (line: string) => unknown,
  field: { flag?: string; placeholder: string; none?: string },
) =>
  z
    .array(z.string())
    .refine((given) => isShort(given.join('\n'), TEXT_MAX_CHARS), atMost(TEXT_MAX_CHARS))
    .superRefine((given, context) => {
      for (const line of given) {
        const problem = problemOf(() => read(line))
        if (problem !== null) context.addIssue({ code: 'custom', message: problem })
      }
    })
    .optional()
    .register(FIELDS, { kind: 'lines', max: TEXT_MAX_CHARS, ...field })

function problemOf(work: () => unknown): string | null {
  try {
    work()
    return null
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}

export const tick = (field: { flag?: string }) =>
  z
    .boolean()
    .optional()
    .register(FIELDS, { kind: 'tick', ...field })

export const unless = (field: { flag: string; inForm: boolean }) =>
  z.boolean().register(FIELDS, { kind: 'unless', ...field })

export const settings = (field: Omit<Extract<Field, { kind: 'settings' }>, 'kind'>) =>
  z.record(z.string(), z.string()).register(FIELDS, { kind: 'settings', ...field })

export const oneOf = <const Value extends string>(
  values: readonly Value[],
  field: { preset: Value; placeholder: string; words: 'overlap' | 'clock' },
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
  field: { flag?: string; placeholder: string; isOptional?: true },
) =>
  z
    .array(z.enum(values))
    .optional()
    .register(FIELDS, { kind: 'several of', values, ...field })

/** Undefined: nothing was filled in, so the act decides. Null: no limit. */
export const limits = (field: { flag?: string }) =>
  z
    .partialRecord(z.enum(CURRENCY_CODES), z.number().int())
    .nullable()
    .optional()
    .register(FIELDS, { kind: 'limits', ...field })

/** The targets of an act whose change is shown once, at one member, for all members. */
export const allBound = <Input extends Shape>(input: Input): Record<keyof Input, 'bound'> =>
  Object.fromEntries(Object.keys(input).map((member) => [member, 'bound'])) as Record<keyof Input, 'bound'>
