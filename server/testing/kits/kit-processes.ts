/** The processes of a shop that runs a receiver kit. */
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../harness.ts'
import { endProcess, endWithTest } from '../processes/child-process.ts'
import type { KitRunner } from './runners.ts'

const READY_WITHIN_MS = 60_000
/** The pause before a program is started again that cron would start every minute. */
const CRON_MS = 300

export type KitProcess = { port: string; kill(): Promise<void> }

/** `countPending`: returns how many payments wait for a retry. */
export function openKitProcesses(
  runner: KitRunner,
  {
    folder,
    env,
    countPending,
  }: { folder: string; env: Record<string, string>; countPending(): Promise<number> },
) {
  const running = new Set<KitProcess>()
  let output = ''
  function run([command = '', ...args]: string[], port: string) {
    const child = spawn(command, args, {
      cwd: folder,
      env: { ...env, PORT: port },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        output += text
      })
    return endWithTest(child)
  }
  function keep(kit: KitProcess): KitProcess {
    running.add(kit)
    return kit
  }
  return {
    output: () => output,
    async startWeb(port?: string): Promise<KitProcess> {
      const at = port ?? String(await freePort())
      const child = run(runner.web(at), at)
      const kit = keep({ port: at, kill: () => endProcess(child) })
      if (!(await responds(at, () => child.exitCode !== null)))
        throw new Error(`The kit does not answer:\n${output}`)
      return kit
    },
    startWorker(): KitProcess {
      const { worker } = runner
      if (!worker) return { port: '', kill: async () => {} }
      const kill = runRepeatedly(() => run(worker, ''), countPending)
      return keep({ port: '', kill })
    },
    async killAll(): Promise<void> {
      await Promise.all([...running].map((kit) => kit.kill()))
    },
  }
}

/** Waits until something responds on the port. Returns false if it takes too long or `hasEnded` returns true. */
async function responds(port: string, hasEnded: () => boolean): Promise<boolean> {
  const deadline = performance.now() + READY_WITHIN_MS
  while (!(await fetch(`http://127.0.0.1:${port}/`).then(Boolean, () => false))) {
    if (performance.now() > deadline || hasEnded()) return false
    await sleep(30)
  }
  return true
}

/** Runs a program at once, and then again whenever a payment waits, as cron does. Returns what stops it. */
function runRepeatedly(run: () => ReturnType<typeof endWithTest>, countPending: () => Promise<number>) {
  let over = false
  const again = async () => {
    if (over) return
    // A framework takes a while to find that there is no work.
    const pending = await countPending()
    if (over) return
    if (pending === 0) wait()
    else child = run().once('exit', wait)
  }
  const wait = () => setTimeout(again, CRON_MS)
  let child = run().once('exit', wait)
  return async (): Promise<void> => {
    over = true
    await endProcess(child)
  }
}
