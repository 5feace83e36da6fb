/**
 * The operator's command line. How a command is declared: a noun's verb, its flags, and what it answers.
 * Law: a command calls verbs of merchants or payments and words their answers; it knows no SQL, and prints nothing itself.
 */
import type { Context, Worlds } from '../context.ts'
import { AppError } from '../errors.ts'
import { type Flag, flagName } from './flag.ts'

/** How an operator calls the command line; every command that is printed begins so. */
export const ADMIN = 'npm run -s admin --'

/** A value as it stands in a command that is printed, whatever is in it. */
export function shellWord(text: string): string {
  return /^[\w.:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** One answer in two forms. `problem`: the command did its work, and what it found is bad; the exit code is 1. */
export type Outcome = {
  json: Record<string, unknown>
  text: string
  problem?: { code: string; message: string; hint?: string }
}

/** Who runs the command; and, for one that goes on for a while, how it says things meanwhile and learns that it is to stop. */
export type Live = {
  /** Who is logged in. */
  operator: string
  /** Every world that is served, for commands that concern two. */
  worlds: Worlds
  /** Prints one line: `text`, or with `--json` the object if there is one. */
  print(line: { json?: object; text: string }): void
  /** Aborted when the operator stops the command. The first call asks to be told instead of being ended. */
  untilStopped(): AbortSignal
}

type Flags = Record<string, Flag<unknown>>
type Values<Declared extends Flags> = {
  [Name in keyof Declared]: Declared[Name] extends Flag<infer Value> ? Value : never
}

/** Answers null when everything has been said already. */
export type Run = (ctx: Context, live: Live) => Promise<Outcome | null>

export type Verb = {
  name: string
  summary: string
  flags: Flags
  /** Arguments of one call each, without the noun and the verb. */
  examples: string[]
  /**
   * Checks the flags before anything is opened. `help`: how to see this command's help.
   * @throws AppError validation_failed naming every wrong flag.
   */
  prepare(given: Record<string, string[]>, help: string): Run
}

export type Noun = { name: string; summary: string; verbs: Verb[] }

export function verb<Declared extends Flags>(
  declared: Omit<Verb, 'prepare' | 'flags'> & {
    flags: Declared
    run(ctx: Context, values: Values<Declared>, live: Live): Promise<Outcome | null>
  },
): Verb {
  const { run, ...rest } = declared
  return {
    ...rest,
    prepare(given, help) {
      const values = readFlags(declared.flags, given, help) as Values<Declared>
      return (ctx, live) => run(ctx, values, live)
    },
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
  // An unset variable of the shell leaves an empty text, and a forgotten value takes the next flag for it.
  if (texts.some((text) => text.trim() === '')) return 'is empty.'
  if (texts.some((text) => text.startsWith('--'))) return 'needs a value.'
  if (!flag.need.endsWith('repeatable') && texts.length > 1) return 'is given more than once.'
  return null
}
