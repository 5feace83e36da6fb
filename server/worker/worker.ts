/** Runs the job table and the sweeps until it is stopped. Any number of workers may run on one database. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, run } from 'graphile-worker'
import type { Context } from '../context.ts'
import { JOBS } from './jobs.ts'
import { SWEEPS } from './sweeps.ts'

const CONCURRENCY = 8
const POLL_MS = 1_000
const SWEEP_MS = 1_000

export type Worker = { stop(): Promise<void> }

export async function startWorker(ctx: Context): Promise<Worker> {
  const taskList = Object.fromEntries(
    Object.entries(JOBS).map(([name, job]) => [name, (payload: unknown) => job(ctx, payload)]),
  )
  const runner = await run({
    pgPool: ctx.db,
    taskList,
    concurrency: CONCURRENCY,
    pollInterval: POLL_MS,
    noHandleSignals: true,
    logger: queueLogger(ctx),
  })
  const stopping = new AbortController()
  const sweeping = Promise.all(
    Object.entries(SWEEPS).map(([name, sweep]) => repeat(ctx, name, sweep, stopping.signal)),
  )
  return {
    async stop() {
      stopping.abort()
      await Promise.all([runner.stop(), sweeping])
    },
  }
}

/** One turn after another until stopped; a turn that fails is logged, and the next one tries again. */
async function repeat(
  ctx: Context,
  name: string,
  sweep: (ctx: Context) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sweep(ctx).catch((error: unknown) => ctx.log.error({ err: error, sweep: name }, 'sweep failed'))
    await sleep(SWEEP_MS, undefined, { signal }).catch(() => {})
  }
}

/** The queue's own messages go to our log; its chatter about each job only at debug. */
function queueLogger(ctx: Context): Logger {
  const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const
  return new Logger(() => (level, message) => ctx.log[levels[level]]({ queue: true }, message))
}
