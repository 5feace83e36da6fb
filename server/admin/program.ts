/** Runs one command and prints its result or its failure. */
import type { Context, Worlds } from '../context.ts'
import type { World } from '../contract/health.ts'
import { AppError } from '../errors.ts'
import { nameOf } from '../settings/table.ts'
import { mainWorld } from '../worlds.ts'
import type { Live, Outcome, Run } from './command.ts'
import { explainFailure, type Failure } from './failure.ts'
import { plain } from './layout.ts'
import { parseArguments } from './parser.ts'

/** What the entry file provides: access to the service, and the output streams. */
export type Surroundings = {
  open(): Promise<{ worlds: Worlds; close(): Promise<void> }>
  /** Prints results. */
  out(text: string): void
  /** Prints messages. */
  err(text: string): void
  /** The login name of the operator. */
  operator: string
  /** After the first call Ctrl-C aborts this signal and no longer ends the process. */
  untilStopped(): AbortSignal
  /** Whether to print the stack of an unexpected failure. */
  verbose: boolean
}

/** Runs one command and returns the exit code. Never throws. `args`: the arguments after the program's name. */
export async function runAdmin(args: string[], around: Surroundings): Promise<number> {
  const json = args.includes('--json')
  try {
    const world = worldAsked(args)
    const run = parseArguments(args, around)
    if (!run) return 0
    const outcome = await visit(around, run, { json, world })
    if (!outcome) return 0
    const { json: result, text, problem } = outcome
    if (json) {
      around.out(asLine(problem ? { ok: false, ...result, error: problem } : { ok: true, ...result }))
    } else {
      around.out(`${text}\n`)
      if (problem) around.err(`\n${problem.hint ?? problem.message}\n`)
    }
    return problem ? 1 : 0
  } catch (error) {
    printFailure(explainFailure(error), { json, around })
    return 1
  }
}

/** The world that `--live` or `--sandbox` names; null without either. */
function worldAsked(args: string[]): World | null {
  const named = (['live', 'sandbox'] as const).filter((world) => args.includes(`--${world}`))
  if (named.length > 1)
    throw new AppError('validation_failed', { message: 'Give --live or --sandbox, not both.' })
  return named[0] ?? null
}

function worldOf(worlds: Worlds, world: World | null): Context {
  const ctx = world === null ? mainWorld(worlds) : worlds[world]
  if (ctx) return ctx
  throw new AppError('validation_failed', {
    message: 'This deployment serves the sandbox alone, so there is no live world to work on.',
    hint: 'Run the command with the settings of the live service: MODE=live, and what it needs.',
  })
}

async function visit(
  around: Surroundings,
  run: Run,
  { json, world }: { json: boolean; world: World | null },
): Promise<Outcome | null> {
  const { worlds, close } = await around.open()
  const print: Live['print'] = (line) => {
    if (!json) around.out(`${line.text}\n`)
    else if (line.json) around.out(asLine(line.json))
  }
  try {
    const { operator, untilStopped } = around
    return await run(worldOf(worlds, world), { operator, worlds, print, untilStopped })
  } finally {
    await close()
  }
}

function printFailure(
  { code, message, hint, stack }: Failure,
  to: { json: boolean; around: Surroundings },
): void {
  const { json, around } = to
  if (stack && around.verbose) around.err(`${stack}\n`)
  if (json) {
    around.out(asLine({ ok: false, error: { code, message, ...(hint && { hint }) } }))
    return
  }
  const again =
    stack && !around.verbose && `Run it again with ${nameOf('logLevel')}=debug to see where it happened.`
  for (const line of [message, hint, again].flatMap((text) => (text ? text.split('\n') : [])))
    around.err(`${plain(line)}\n`)
}

function asLine(result: object): string {
  return `${JSON.stringify(result)}\n`
}
