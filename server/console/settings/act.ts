/** A row of the table of acts as the settings of the console show it: what a person fills in, what it changes, and what came of it. */
import type { Act } from '../../acts/policy.ts'
import type { OneAct, Person } from '../../audit/people.ts'
import type { Context } from '../../context.ts'
import type { OwnVisit } from '../page.ts'
import type { ConsoleKey, TextKey } from '../words/translate.ts'
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
      values: Record<string, string>
      lines: readonly (readonly [name: Label, text: string | null])[]
      isBad: boolean
    }

/** `name`: the end of its address. `title`, `lead`: its name and a sentence about it. */
export type SettingAct = {
  name: string
  title: TextKey
  lead: TextKey
  /** Whose roles may use the form. */
  needs: Act
  what: Act
  place: Place
  /** The heading under which it stands. */
  group: ConsoleKey
  /** The log has the act before what follows from it. */
  isRecordedBefore: boolean
  /** What it replaces. A form that saw something else is refused. */
  present(scene: Scene): Promise<object>
  /** Why it cannot be done now. */
  whyNot(present: object): TextKey | null
  fields(present: object, scene: Scene): readonly Field[]
  /** The fields that do not fit, alone or with one another. */
  check(given: FieldValues, present: object, scene: Scene): Partial<Record<string, TextKey>>
  /** The field that a refusal is mostly about. */
  blames(message: string): string | undefined
  /** For what the second factor is asked for; null if the role is enough. */
  factorOf(given: FieldValues, scene: Scene): Promise<OneAct | null>
  /** What it would do. Nothing of it stays. */
  rehearse(ctx: Context, given: FieldValues, scene: Scene): Promise<readonly ChangeLine[]>
  run(ctx: Context, given: FieldValues, scene: Scene, person: Person): Promise<Outcome>
}
