/** Runs one command and prints its result or its failure. */
import { untilKnown } from '../access/known.ts'
import type { Caller } from '../audit/people.ts'
import type { Worlds } from '../context.ts'
import type { World } from '../contract/health.ts'
import type { Diagnosis } from '../diagnosis/diagnose.ts'
import { nameOf } from '../settings/table.ts'
import type { Database } from '../start/database.ts'
import { mainWorld } from '../worlds.ts'
import { actOn, actOnDatabase, keepRevocations } from './acting.ts'
import { type CommandTools, isReading, type OnEmpty, type Outcome } from './command.ts'
import { explainFailure, type Failure } from './failure.ts'
import { paragraphs, plain } from './layout.ts'
import { type Chosen, parseArguments } from './parser.ts'
import { contextOf, withWorldFlag, worldInArguments } from './world-flag.ts'

/** What the entry file provides: access to the service, and the output streams. */
export type Surroundings = {
  open(options: { onEmpty: OnEmpty }): Promise<{ worlds: Worlds; close(): Promise<void> }>
  /** Access to the database alone, which this does not change. */
  openDatabase(options: { onEmpty: OnEmpty }): Promise<Database>
  /** Examines the service, in whatever state it is. */
  diagnose(): Promise<Diagnosis>
  /** Prints results. */
  out(text: string): void
  /** Prints messages. */
  err(text: string): void
  /** Who runs the command. `key`: the personal key of an operator, if one is given. */
  caller: Caller
  /** After the first call Ctrl-C aborts this signal and no longer ends the process. */
  untilStopped(): AbortSignal
  /** Asks on the terminal. Absent where there is none. */
  ask?(question: string): Promise<string>
  /** Whether to print the stack of an unexpected failure. */
  verbose: boolean
}

/** Runs one command and returns the exit code. Never throws. `args`: the arguments after the program's name. */
export async function runAdmin(args: string[], given: Surroundings): Promise<number> {
  const json = args.includes('--json')
  const around: Surroundings = { ...given }
  try {
    const world = worldInArguments(args)
    const run = parseArguments(args, around)
    if (!run) return 0
    const outcome = await visit(around, run, { json, world })
    if (!outcome) return 0
    printOutcome(outcome, { json, around })
    return outcome.problem ? 1 : 0
  } catch (error) {
    printFailure(explainFailure(error), { json, around })
    return 1
  }
}

function printOutcome(
  { json: result, text, problem }: Outcome,
  { json, around }: { json: boolean; around: Surroundings },
): void {
  if (json) {
    around.out(asLine(problem ? { ok: false, ...result, error: problem } : { ok: true, ...result }))
    return
  }
  around.out(`${text}\n`)
  if (problem) around.err(`\n${problem.hint ?? problem.message}\n`)
}

async function visit(
  around: Surroundings,
  run: Chosen,
  { json, world }: { json: boolean; world: World | null },
): Promise<Outcome | null> {
  const print: CommandTools['print'] = (line) => {
    if (!json) around.out(`${line.text}\n`)
    else if (line.json) around.out(asLine(line.json))
  }
  if (run.on === 'database') {
    const database = await around.openDatabase(run)
    return actOnDatabase(database, run, { caller: around.caller, print }).finally(() => database.close())
  }
  if (run.on === 'nothing') return run.run(around.diagnose)
  const { worlds, close } = await around.open(run)
  try {
    const ctx = contextOf(worlds, world)
    if (ctx !== mainWorld(worlds)) nameWorld(around, ctx.world)
    const { caller, untilStopped } = around
    const startedAt = performance.now()
    const acting = await actOn(worlds, ctx.world, run, caller)
    const ask = json ? null : (around.ask ?? null)
    const outcome = await run.run(contextOf(acting.worlds, ctx.world), {
      ...acting,
      print,
      untilStopped,
      ask,
    })
    await untilKnown(worlds.sandbox.db, startedAt)
    const unwritten = isReading(run) ? null : await keepRevocations(worlds)
    if (unwritten) around.err(`${unwritten}\n`)
    return outcome && withWorldName(outcome, ctx.world, worlds)
  } finally {
    await close()
  }
}

/** From now on every printed command names this world, because it is not the one that commands work on by default. */
function nameWorld(around: Surroundings, world: World): void {
  const { out, err } = around
  around.out = (text) => out(withWorldFlag(text, world))
  around.err = (text) => err(withWorldFlag(text, world))
}

/** A result says its world; as text only where two worlds are served. */
function withWorldName({ json, text, ...rest }: Outcome, world: World, { live }: Worlds): Outcome {
  return { json: { world, ...json }, text: live ? paragraphs(text, `World: ${world}`) : text, ...rest }
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
