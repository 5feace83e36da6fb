/** A program of a platform that serves HTTP, in a process of its own. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { endProcess, PROCESS_ENV, startProgram, type TestProcess } from '../processes/child-process.ts'

/** A busy machine needs minutes. A program that has ended is not waited for. */
const READY_WITHIN_MS = 900_000
const OUTPUT_CHARS = 50_000

export type Program = {
  /** Resolves when it responds. */
  start(): Promise<void>
  kill(): Promise<void>
  output(): string
}

type Settings = { args: string[]; cwd: string; env: Record<string, string> }

/** `readyUrl`: an address that answers 2xx when the program is ready. */
export function programOn(readyUrl: string, { args, cwd, env }: Settings): Program {
  let text = ''
  let child: TestProcess | undefined
  return {
    async start() {
      const started = startProgram(process.execPath, args, {
        cwd,
        env: { ...PROCESS_ENV, HOME: cwd, ...env },
      })
      child = started
      for (const stream of [started.stdout, started.stderr])
        stream.on('data', (chunk) => {
          text = (text + chunk).slice(-OUTPUT_CHARS)
        })
      await untilReady(readyUrl, started, () => text)
    },
    async kill() {
      if (child) await endProcess(child)
    },
    output: () => text,
  }
}

/** Runs a program to its end. Returns what it printed. */
export async function runToEnd({ args, cwd, env }: Settings): Promise<string> {
  const child = startProgram(process.execPath, args, { cwd, env: { ...PROCESS_ENV, HOME: cwd, ...env } })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += chunk
    })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`It ended with ${code}:\n${text.slice(-OUTPUT_CHARS)}`)
  return text
}

async function untilReady(url: string, child: TestProcess, output: () => string): Promise<void> {
  const ended = once(child, 'exit').then(() => {
    throw new Error(`It ended:\n${output()}`)
  })
  // It is also ended by the test, after it was ready.
  ended.catch(() => {})
  const deadline = performance.now() + READY_WITHIN_MS
  const isReady = async () => (await fetch(url).catch(() => null))?.ok === true
  while (!(await Promise.race([isReady(), ended]))) {
    if (performance.now() > deadline) throw new Error(`It was not ready in time:\n${output()}`)
    await sleep(100)
  }
}
