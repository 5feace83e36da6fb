/** How a member of an input is filled in: as a flag of the command, and as a field of the form. */
import { z } from 'zod'

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
  /** A person's own words, which are kept and shown: a reason, or a remark. A card number in them is refused. */
  | { kind: 'words'; flag?: string; placeholder: string; max: number; isOptional: boolean }
  /**
   * In the currency that the row returns, or in that of another member, which a form needs. `none`: the flag for no amount, which is
   * null.
   */
  | {
      kind: 'amount'
      flag?: string
      placeholder: string
      isOptional: boolean
      currencyOf?: string
      none?: string
    }
  /** `byNumber`: the number that the buyer reads out serves as well as the id. */
  | { kind: 'payment'; byNumber: boolean }
  /** A day of the calendar, such as `2026-08-02`. */
  | { kind: 'day'; flag?: string; placeholder: string }
  /** Several amounts, in the currency of another member. */
  | { kind: 'amounts'; flag?: string; placeholder: string; currencyOf: string }
  /** A whole number from 1 to `most`. */
  | { kind: 'count'; flag?: string; placeholder: string; most: number }
  /** The bytes of a file. The command reads the one that is named. */
  | { kind: 'file'; flag?: string; placeholder: string }
  /** A time that has passed, in the command alone. */
  | { kind: 'past'; flag?: string; placeholder: string }
  /** The version of a thing that the person saw, as the command `show` prints it. */
  | { kind: 'version' }
  /** Any number of texts, one on each line of the form. `none`: the flag for no text. Without any flag nothing is said. */
  | { kind: 'lines'; flag?: string; placeholder: string; max: number; none?: string }
  | { kind: 'tick'; flag?: string }
  /** True, unless the flag of the command is given. A form does not ask, and has the value `inForm`. */
  | { kind: 'unless'; flag: string; inForm: boolean }
  /** `words`: the prefix of the values' names in `messages/LANGUAGE/approvals.json`; absent: they are shown as they are. */
  | {
      kind: 'one of'
      values: readonly string[]
      flag?: string
      placeholder: string
      preset?: string
      isNeeded?: true
      words?: 'overlap' | 'clock'
    }
  /** `isOptional`: none of them means all of them, in a form too. */
  | { kind: 'several of'; flag?: string; values: readonly string[]; placeholder: string; isOptional?: true }
  /**
   * Settings of the driver that the member `driver` names, or of `driverOf` of the row. `own`: one of them that has a flag of its own.
   */
  | {
      kind: 'settings'
      flag: string
      own?: { flag: string; setting: string; values: readonly string[]; placeholder: string }
    }
  /** Refund limits, one for each currency. */
  | { kind: 'limits'; flag?: string }
  /** A text that no page and no log repeats. */
  | { kind: 'secret' }

export type Schema = z.ZodType
export type Shape = Record<string, Schema>
/** The values of an input. */
export type Given<Input extends Shape> = z.output<z.ZodObject<Input>>

export const FIELDS = z.registry<Field>()

export function fieldOf(member: Schema): Field {
  const field = FIELDS.get(member)
  if (!field) throw new Error('Bug! A member of an input was not made by a function of acts/input.ts.')
  return field
}
