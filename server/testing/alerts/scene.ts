/** A deployment whose alerts are watched: its database, and the process that Prometheus scrapes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, type Kassa, type KassaProcess, spawnKassa, startKassa } from '../harness.ts'
import { operateProcess } from '../operator.ts'
import type { Target } from './prometheus.ts'

/**
 * `what`: what happens to the service, in words. `begin` brings it about, and may go on until `ended` aborts. Without `mend` the
 * alert ends by itself, because its window passes.
 */
export type Cause = {
  what: string
  alerts: readonly string[]
  begin(ended: AbortSignal): Promise<void>
  mend?: () => Promise<void>
}

/** The causes are brought about one after the other. */
export type Scene = { target: Target; causes: readonly Cause[]; close(): Promise<void> }

export type Watched = {
  kassa: Kassa
  /** The process that is scraped. A cause may replace it. */
  running: { process: KassaProcess }
  settings: Record<string, string>
  target: Target
  /** Runs a command of the operator in its own process. @throws Error if it fails */
  operate(...args: string[]): Promise<string>
  close(): Promise<void>
}

/** `settings`: of the scraped process and of the operator's commands. */
export async function watchDeployment(
  given: Record<string, string> = {},
  everySeconds = 1,
): Promise<Watched> {
  const kassa = await startKassa({ settings: given })
  const [port, metricsPort] = [await freePort(), await freePort()]
  const settings = {
    DATABASE_URL: kassa.databaseUrl,
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    METRICS_PORT: String(metricsPort),
    ...given,
  }
  const running = { process: await spawnKassa(settings) }
  return {
    kassa,
    running,
    settings,
    target: { port: metricsPort, everySeconds },
    async operate(...args) {
      const { code, stdout, stderr } = await operateProcess(settings, args)
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`)
      return stdout
    },
    async close() {
      await running.process.kill('SIGKILL')
      await kassa.close()
    },
  }
}

/** Repeats `work` until `ended` aborts. Its failures are no matter: they may be the cause of the alert. */
export function repeat(ended: AbortSignal, everyMs: number, work: () => Promise<unknown>): void {
  void (async () => {
    while (!ended.aborted) {
      await work().catch(() => null)
      await sleep(everyMs)
    }
  })()
}
