/** One row of the table of settings: what a person fills in, what it changes, and the operator's verb that changes it. */

import type { Act } from '../../acts/policy.ts'
import { stakesOf } from '../../acts/policy.ts'
import type { Person } from '../../audit/people.ts'
import type { Context } from '../../context.ts'
import type { OwnVisit } from '../page.ts'
import type { ConsoleKey, TextKey } from '../words/say.ts'
import type { Field, FieldValues, Label } from './fields.ts'

export type { FieldValues as Given, Label } from './fields.ts'

/** What the act is about. `ctx`: PostgreSQL refuses each write through it. `path`: of the screen that leads to the act. */
export type Scene = {
  visit: OwnVisit
  ctx: Context
  place: Place
  about: string
  merchantId: string | null
  name: string
  path: string
  timeZone: string
}
export type Place = 'shop' | 'deployment' | 'account'

/** Both sides of a change. Null: nothing. Undefined: it replaces nothing. */
export type ChangeLine = readonly [name: Label, before: string | null | undefined, after: string | null]

/** `secrets`: shown once. `lines`: what came of it. Neither: the person is led back. */
export type Outcome =
  | 'done'
  | 'proposed'
  | { secrets: readonly (readonly [name: TextKey, text: string | null])[] }
  | {
      message: TextKey
      values?: Record<string, string>
      lines: readonly (readonly [name: Label, text: string | null])[]
      isBad?: boolean
    }

/** Every act has a name and a sentence in each language. */
export type SettingName = ConsoleKey extends infer Key
  ? Key extends `set_${infer Name}_lead`
    ? Name
    : never
  : never

type Row<Present> = {
  needs: Act
  /** The command of the audit log. Absent: that of `needs`. */
  what?: string
  place: Place
  /** The heading under which it stands. */
  group: ConsoleKey
  /** What it replaces. A form that saw something else is refused. */
  present(scene: Scene): Promise<Present>
  /** Why it cannot be done now. */
  whyNot?(present: Present): TextKey | null
  fields?(present: Present, scene: Scene): readonly Field[]
  /** The fields that do not fit one another. */
  check?(given: FieldValues, present: Present, scene: Scene): Partial<Record<string, TextKey>>
  /** The field that a refusal of the verb is mostly about. */
  blames?: string | ((message: string) => string | undefined)
  changes(given: FieldValues, present: Present, scene: Scene): readonly ChangeLine[]
  /** The act with its values, as the second factor and the second person know it. */
  guarded?(given: FieldValues, scene: Scene): { name: string; args: object }
  /** Absent: the first press runs the verb, and nothing of it stays. `no`: it would ask somebody else. */
  rehearse?: 'no' | ((ctx: Context, given: FieldValues, scene: Scene) => Promise<readonly ChangeLine[]>)
  /** `present`: what the person saw, as it still was just before. */
  run(ctx: Context, given: FieldValues, scene: Scene & { present: Present }, person: Person): Promise<Outcome>
}
/** `title`, `lead`: its name and a sentence about it. */
// biome-ignore lint/suspicious/noExplicitAny: one engine serves rows of everything that can be there
export type SettingAct = Row<any> & { name: string; title: TextKey; lead: TextKey }
export type SettingRow<Present> = Row<Present> & { name: SettingName }

/** Forgets the type of what is there, so that one engine serves all rows. */
export function setting<Present extends object>(row: SettingRow<Present>): SettingAct {
  return { ...row, title: `set_${row.name}`, lead: `set_${row.name}_lead` }
}

/** Whether the second factor is asked for, as the table of guards says. */
export const asksOf = ({ needs, what = needs }: Pick<SettingAct, 'needs' | 'what'>): boolean =>
  stakesOf(what) !== null

export const endOf = ({ name }: Pick<SettingAct, 'name'>) => name.replaceAll('_', '-')
