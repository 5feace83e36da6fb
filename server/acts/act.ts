/**
 * A row of the table of acts. From it are made the command with its flags, help, JSON and dry run, the console's form with its
 * confirmation and result, the second person's page, and the tests.
 * Rule: a row has no text and no HTML. Its texts stand in the catalogues `acts` (console) and `cli` (command line), by its name.
 */
import type { Person } from '../audit/people.ts'
import type { Context } from '../context.ts'
import type { CurrencyCode } from '../contract/fields.ts'
import type { PlainKey } from '../messages/translate.ts'
import type { Shows } from '../operator/approvals/facts.ts'
import type { ActDoer, Guarded, Handover } from '../operator/approvals/stake.ts'
import type { Given, Shape } from './input.ts'
import type { Act, SecondPersonAct } from './policy.ts'
import type { Scene } from './scene.ts'

/** The settings of the console among which the act stands: of one shop, of an account, or of the whole deployment. */
export type Place = 'shop' | 'deployment' | 'account'

/** With more choices than these a list shows none, and the id is typed. */
export const CHOSEN_MAX = 100

/** Something that a person can choose. `text`: what it is, instead of the id. `at`: when it was made. */
export type Choice = { id: string; text?: string; at?: Date }

/**
 * `facts`: the JSON of the command. `shownOnce`: secrets that nobody can read again. Their names are those of the JSON too.
 * `textValues`: values that only the sentences name.
 */
export type Result = {
  facts: Record<string, unknown>
  shownOnce?: Record<string, string>
  textValues?: Record<string, string>
  /** It was done, and what it has found is bad. */
  problem?: { code: string; message: string; hint?: string }
}

/** What is at stake, and whether it changed since. */
export type SecondPerson<Values> = Omit<Guarded<Values, unknown>, 'run' | 'shows' | 'halves' | 'everyWorld'>
/** An act that the table of policies guards with a second person says this, and no other act does. */
type Guarding<Name, Values> = Name extends SecondPersonAct
  ? { secondPerson: SecondPerson<Values> }
  : { secondPerson?: never }

/** `Values`: what the input accepts. `Current`: what the act may change. `Done`: what `run` returns. */
export type ActRow<Values extends object, Current extends object, Done> = {
  /** Noun and verb. `policies.ts` says who may do it, and how it is guarded. */
  name: Act
  /** A second form of the same act, in the console alone. Its address and its texts have this name. */
  form?: string
  /** Absent: no form is made of it, because the page of the thing asks for it. */
  place?: Place
  input: Shape
  /** The act whose roles may use the form, if they are not those of the command. */
  formNeeds?: Act
  /**
   * Whether the role may give these values, where the role alone does not decide. A form asks for each tick, and for limits, alone, and
   * leaves out what is not allowed.
   */
  allowed?(person: { role: Person['role'] }, given: Partial<Values>): boolean
  /** The values for which the second factor is asked for. Null: these need none. Absent: all of them. */
  factorFor?(ctx: Context, given: Values): Promise<object | null>
  /** In which the member of the kind `amount` is. @throws AppError */
  currency?(ctx: Context, given: Values): Promise<CurrencyCode>
  /** What the command does without a database, as a declared command says it. Absent: it refuses. */
  onEmpty?: 'named'
  /** It is done in the main world and counts for all, so a limit of any of them is enough to need a second person. */
  everyWorld?: true
  /** It asks somebody else first, so it cannot be tried out: there is no dry run, and a form only shows what it is about. */
  asksOthers?: true
  /** It only reads, and leaves no row in the log. */
  reads?: true
  /** The log has the act first, and the thousands of changes that follow from it leave no rows. Only a form can say so. */
  recordedBefore?: true
  /** What the command prints as it is afterwards. */
  describes?: { what: 'payment' | 'operation' | 'account'; id(given: Values, facts: Result['facts']): string }
  /** Returns the member that does not fit the others. The texts `NAME.MEMBER.wrong` say why. */
  wrong?(given: Values): (keyof Values & string) | null
  /** What the act may change, as it is now. A form that was made for something else is refused. `about`: the id of the shop or the account. */
  current?(ctx: Context, about: string): Promise<Current>
  /** Returns the message that says why nobody can do it now. */
  notNow?(current: Current): PlainKey | null
  /** What stands in the form at first. `chosen`: what the address of the page names. */
  presets?(current: Current, chosen: Record<string, string>): Partial<Record<string, string>>
  /** What a member of the kind `choice` offers, the newest first. With more than a list shows, the id is typed. */
  choices?: { [Name in keyof Values]?: (current: Current) => Choice[] }
  /** The driver of a member of the kind `settings`, with the settings that stay as they are where nothing is given. */
  driverOf?(current: Current): { driver: string; settings: Record<string, string> }
  /** The member that a refusal is mostly about. */
  blames?: keyof Values & string
  /** What each member does, with what it replaces: for the person who confirms it, for the second person, and for the command's answer. */
  shows: Shows<Values>
  secondPerson?: SecondPerson<Values>
  /** The second halves of what opens something, which the person who grants it passes on. */
  halves?(done: Done): Handover
  /** `secret`: see `secondPerson.opens`. @throws AppError */
  run(ctx: Context, given: Values, doer: ActDoer, secret?: string): Promise<Done>
  /** Done in a dry run instead, where `run` asks somebody else too. */
  rehearse?(ctx: Context, given: Values, doer: ActDoer): Promise<Done>
  /** Looks once more at what was done when every process knows it. A dry run does not. */
  onceKnown?(ctx: Context, done: Done, given: Values): Promise<Done>
  result(ctx: Context, done: Done, given: Values): Promise<Result>
  /** The facts that the console shows afterwards, because no page has them. Without any, the person is led back. */
  tells?: readonly string[]
  /** What the help of the command shows, without its name. */
  helpExamples: readonly string[]
  /** Values for the tests, which run each of them through both faces. */
  examples(scene: Scene): Promise<Values[]>
  /** Returns the values of a proposal that an earlier version has stored as this version has them. */
  formerly?(stored: Record<string, unknown>): Record<string, unknown>
}

// biome-ignore lint/suspicious/noExplicitAny: one engine serves rows of every input and result
export type AnyRow = ActRow<any, any, any>

/** Declares a row. The input comes first, so that the compiler checks the rest of the row against it. */
export const act =
  <Name extends Act, Input extends Shape>(name: Name, input: Input) =>
  <Current extends object, Done, Rest extends Guarding<Name, Given<Input>>>(
    rest: Omit<ActRow<Given<Input>, Current, Done>, 'name' | 'input' | 'secondPerson'> & Rest,
  ) => ({ name, input, ...rest })

/** The name of an act in addresses and in the catalogues: `token-rotate`. */
export const formOf = ({ name, form }: { name: string; form?: string }): string =>
  form ?? name.replaceAll(' ', '-')
export const nounOf = ({ name }: { name: string }): string => name.replace(/ .*/, '')
