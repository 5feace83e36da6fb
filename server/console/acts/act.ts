/** A row of the table of acts as the console shows it: what a person fills in, what it changes, and what came of it. */
import type { Place as RowPlace } from '../../acts/act.ts'
import type { Act } from '../../acts/policy.ts'
import type { OneAct, Person } from '../../audit/people.ts'
import type { Context } from '../../context.ts'
import type { Markup } from '../../pages/html.ts'
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
/** What the person was shown, as it is now. */
export type Seen<Present extends object = object> = Scene & { present: Present }
export type Place = RowPlace | 'payment'

/** What a screen of an act says: the form about the act, and the second press about what will happen. */
export type ScreenTexts = {
  title: string
  lead: string | null
  notes?: Markup
  button: string
  /** What was shown beside the fields, and goes with the second press. */
  carried?: Record<string, string>
}

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
export type FormAct<Present extends object = object> = {
  name: string
  title: TextKey
  lead: TextKey
  /** Whose roles may use the form. */
  needs: Act
  what: Act
  place: Place
  /** The heading under which it stands. Absent: the page of the thing leads to it. */
  group?: ConsoleKey
  /** The log has the act before what follows from it. */
  isRecordedBefore: boolean
  /** Two presses of one form are one act by its key or by the version that they saw, so nothing keeps one of them waiting. */
  isKeyed?: true
  /** What it replaces. A form that saw something else is refused. */
  present(scene: Scene): Promise<Present>
  /** What a form has seen of it, as a short text. Absent: all of it, as a digest. */
  stateOf?(present: Present): string
  /** Why it cannot be done now. */
  whyNot(seen: Seen<Present>): Label | null
  texts(seen: Seen<Present>): ScreenTexts
  fields(seen: Seen<Present>): readonly Field[]
  /** What is wrong with the fields that do not fit, alone or with one another. */
  check(given: FieldValues, seen: Seen<Present>): Partial<Record<string, Label>>
  /** The field that a refusal is mostly about. */
  blames(message: string): string | undefined
  /** For what the second factor is asked for; null if the role is enough. */
  factorOf(given: FieldValues, seen: Seen<Present>): Promise<OneAct | null>
  /** Says what it would do. Nothing of it stays. */
  rehearse(ctx: Context, given: FieldValues, seen: Seen<Present>): Promise<ScreenTexts>
  run(ctx: Context, given: FieldValues, seen: Seen<Present>, person: Person): Promise<Outcome>
}
