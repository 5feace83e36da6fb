/** Runs many short programs of one language in one process, because a start of Node or Python takes longer than such a program. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { endProcess, endWithTest } from '../processes/child-process.ts'

/**
 * Reads one program a line, as JSON with its token. Runs it with names of its own, and writes what it has printed as one line of
 * JSON. An error counts as printed.
 */
const LOOPS = {
  node: `
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'
const client = JSON.stringify(pathToFileURL('kassa.mjs').href)
for await (const line of createInterface({ input: process.stdin })) {
  const { program, token } = JSON.parse(line)
  process.env.KASSA_TOKEN = token
  const printed = []
  console.log = (...all) => printed.push(format(...all))
  await import('data:text/javascript,' + encodeURIComponent(program.replace("'./kassa.mjs'", client))).catch((error) => printed.push(error.stack))
  process.stdout.write(JSON.stringify(printed.join('\\n')) + '\\n')
}`,
  python: `
import contextlib, io, json, os, sys, traceback
for line in sys.stdin:
    given = json.loads(line)
    os.environ['KASSA_TOKEN'] = given['token']
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(given['program'], 'example', 'exec'), {'__name__': '__main__'})
        except BaseException:
            traceback.print_exc(file=printed)
    print(json.dumps(printed.getvalue()), flush=True)`,
}

export type Interpreter = {
  /** Returns what the program prints. Waits for the program before it. */
  run(program: string, token: string): Promise<string>
  close(): Promise<void>
}

export type Runner = { command: string; args: string[]; cwd: string; env: NodeJS.ProcessEnv }

/** Null for a language whose programs run in processes of their own. `cwd`: where the client of the language is. */
export function startInterpreter(language: string, { command, args, cwd, env }: Runner): Interpreter | null {
  const loop = LOOPS[language as keyof typeof LOOPS]
  if (!loop) return null
  const child = endWithTest(spawn(command, [...args, loop], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] }))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(program, token) {
      const printed = last.then(async () => {
        child.stdin.write(`${JSON.stringify({ program, token })}\n`)
        const { value, done } = await lines.next()
        if (done) throw new Error(`The ${language} process has ended.`)
        return JSON.parse(value) as string
      })
      last = printed.catch(() => {})
      return printed
    },
    close: () => endProcess(child),
  }
}
