/**
 * The operator's command line. This file defines how a command is declared: its noun and verb, its flags, and its result.
 * Rule: a command calls verbs of other rooms and words their results. It contains no SQL, and it prints nothing itself.
 */
import type { Person, Role } from '../audit/people.ts'
import type { Config } from '../config.ts'
import type { Context, Worlds } from '../context.ts'
import type { Diagnosis } from '../diagnosis/diagnose.ts'
import { AppError } from '../errors.ts'
import type { Database } from '../start/database.ts'
import type { Act } from '../storage/audit/log.ts'
import { type Flag, flagName } from './flag.ts'

export { ADMIN } from '../invocation.ts'

/** Quotes a value for a printed command if a shell would read it as anything but plain text. */
export function shellWord(text: string): string {
  return /^[\w.:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** The result of a command in two forms. `problem`: the command worked, but what it found is bad. The exit code is then 1. */
export type Outcome = {
  json: Record<string, unknown>
  text: string
  problem?: { code: string; message: string; hint?: string }
}

/** What a running command gets besides its flags. `print` and `untilStopped` are for commands that run for a while. */
export type CommandTools = {
  /** The name of the operator, or the login name where no operator is added yet. */
  operator: string
  /** Who that is, and what that person may do. */
  person: Person
  /** What the audit log calls this run of the command. For a command that writes past its context, such as a restore. */
  act: Act
  /** Every world that is served, for commands that concern two. */
  worlds: Worlds
  /** Prints one line: `text`, or with `--json` the object if there is one. */
  print(line: { json?: object; text: string }): void
  /** Aborts when the operator presses Ctrl-C. After the first call Ctrl-C no longer ends the process. */
  untilStopped(): AbortSignal
  /** Asks the operator, and returns what was typed. Null where nobody can answer: without a terminal, and with `--json`. */
  ask: ((question: string) => Promise<string>) | null
}

type Flags = Record<string, Flag<unknown>>
type Values<Declared extends Flags> = {
  [Name in keyof Declared]: Declared[Name] extends Flag<infer Value> ? Value : never
}

/**
 * A command with its values. It runs on the open service, or on the database as it is, before this build has changed anything in
 * it, or on nothing that must work. A command on the service returns null if it has printed everything itself.
 */
export type Run =
  | {
      on: 'service'
      onEmpty: OnEmpty
      recorded: 'with the change' | 'before'
      run(ctx: Context, tools: CommandTools): Promise<Outcome | null>
    }
  | { on: 'nothing'; run(diagnose: () => Promise<Diagnosis>): Promise<Outcome> }
  | {
      on: 'database'
      onEmpty: OnEmpty
      run(database: Database, tools: Pick<CommandTools, 'print' | 'act'>): Promise<Outcome>
    }

export type Verb = {
  name: string
  /**
   * The weakest role that may run the command; a test compares it with `acts/policies.ts`. `host`: it needs no key, because timers and
   * upgrades have none, and keys can be lost. A person who may run it could read the whole database anyway.
   */
  needs: Role | 'host'
  /**
   * It only reads: its context refuses every write, so a command that changes something cannot claim to be one. Every other context
   * records the act. All commands of a viewer only read.
   */
  reads?: true
  /** The command works although the audit log is missing or damaged: backups, upgrades, and the commands that repair that state. */
  withoutLog?: boolean | undefined
  summary: string
  /** The flag `words` is what is typed without the name of a flag. */
  flags: Flags
  /** The arguments of each example, without the noun and the verb. */
  examples: string[]
  /**
   * Checks the flags before the service is opened. `help` tells how to see the help of this command.
   * @throws AppError validation_failed that names every invalid flag.
   */
  prepare(given: Record<string, string[]>, help: string): Run
}

export const isReading = ({ needs, reads }: Pick<Verb, 'needs' | 'reads'>): boolean =>
  reads === true || needs === 'viewer'

/** `plain`: the verb that runs if none is given. */
export type Noun = { name: string; summary: string; verbs: Verb[]; plain?: string }

/**
 * What a command does without a database. `refuse`: it creates none, because it would find nothing in it and leave it behind. `named`: it
 * is useful on an empty database, so it fills the one that DATABASE_URL names, and says so. It creates none in a data directory, because
 * an empty one is nearly always not the one of the service. `create`: the same in both. `fill`: it wants an empty database, so it creates
 * one without a word.
 */
export type OnEmpty = 'refuse' | 'named' | 'create' | 'fill'

export const mayCreate = (onEmpty: OnEmpty, { databaseUrl }: Pick<Config, 'databaseUrl'>): boolean =>
  onEmpty === 'named' ? databaseUrl !== undefined : onEmpty !== 'refuse'

type Declaration<Declared extends Flags> = Omit<Verb, 'prepare' | 'flags'> & {
  flags: Declared
  /** `refuse` by default. */
  onEmpty?: OnEmpty
}

export function verb<Declared extends Flags>(
  declared: Declaration<Declared> & {
    /** `before`: the log has the command first, and its thousands of transactions none. Default `with the change`. */
    recorded?: 'before'
    run(ctx: Context, values: Values<Declared>, tools: CommandTools): Promise<Outcome | null>
  },
): Verb {
  const { run, onEmpty = 'refuse', recorded = 'with the change', ...rest } = declared
  return withFlags(rest, (values) => ({
    on: 'service',
    // A database is a change too.
    onEmpty: 'dryRun' in values && values.dryRun === true ? 'refuse' : onEmpty,
    recorded,
    run: (ctx, tools) => run(ctx, values, tools),
  }))
}

/** A command that sees the database before this build has changed anything in it. */
export function databaseVerb<Declared extends Flags>(
  declared: Declaration<Declared> & {
    run(
      database: Database,
      values: Values<Declared>,
      tools: Pick<CommandTools, 'print' | 'act'>,
    ): Promise<Outcome>
  },
): Verb {
  const { run, onEmpty = 'refuse', ...rest } = declared
  return withFlags(rest, (values) => ({
    on: 'database',
    onEmpty,
    run: (database, tools) => run(database, values, tools),
  }))
}

/** A command that works in every state of the service. */
export function diagnosisVerb(
  declared: Omit<Declaration<Record<never, never>>, 'flags' | 'onEmpty' | 'needs'> & {
    run(diagnosis: Diagnosis): Outcome
  },
): Verb {
  const { run, ...rest } = declared
  return withFlags({ ...rest, needs: 'viewer', flags: {} }, () => ({
    on: 'nothing',
    run: async (diagnose) => run(await diagnose()),
  }))
}

/** `runWith` gets the values of the flags. */
function withFlags<Declared extends Flags>(
  declared: Declaration<Declared>,
  runWith: (values: Values<Declared>) => Run,
): Verb {
  const { flags } = declared
  return {
    ...declared,
    prepare: (given, help) => runWith(readFlags(flags, given, help) as Values<Declared>),
  }
}

function readFlags(flags: Flags, given: Record<string, string[]>, hint: string): Record<string, unknown> {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, flag] of Object.entries(flags)) {
    const texts = given[name] ?? []
    const problem = findProblem(flag, texts)
    try {
      if (problem) problems.push(`${flagName(name)} ${problem}`)
      else values[name] = flag.read(texts)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      problems.push(`${flagName(name)} ${error.message}`)
    }
  }
  if (problems.length > 0) throw new AppError('validation_failed', { message: problems.join('\n'), hint })
  return values
}

function findProblem(flag: Flag<unknown>, texts: string[]): string | null {
  if (flag.placeholder === null) return null
  if (flag.need.startsWith('required') && texts.length === 0) return `is missing: ${flag.help}.`
  // An unset shell variable gives an empty text. If a value is forgotten, the parser reads the next flag as the value.
  if (texts.some((text) => text.trim() === '')) return 'is empty.'
  if (texts.some((text) => text.startsWith('--'))) return 'needs a value.'
  if (!flag.need.endsWith('repeatable') && texts.length > 1) return 'is given more than once.'
  return null
}
