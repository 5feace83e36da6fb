/** Runs one command and prints its result or its failure. */
import type { Context } from '../context.ts'
import { nameOf } from '../settings/table.ts'
import type { Live, Outcome, Run } from './command.ts'
import { explainFailure, type Failure } from './failure.ts'
import { plain } from './layout.ts'
import { parseArguments } from './parser.ts'

/** What the entry file provides: access to the service, and the output streams. */
export type Surroundings = {
  open(): Promise<{ ctx: Context; close(): Promise<void> }>
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
    const run = parseArguments(args, around)
    if (!run) return 0
    const outcome = await visit(around, run, json)
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

async function visit(around: Surroundings, run: Run, json: boolean): Promise<Outcome | null> {
  const { ctx, close } = await around.open()
  const print: Live['print'] = (line) => {
    if (!json) around.out(`${line.text}\n`)
    else if (line.json) around.out(asLine(line.json))
  }
  try {
    const { operator, untilStopped } = around
    return await run(ctx, { operator, print, untilStopped })
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
