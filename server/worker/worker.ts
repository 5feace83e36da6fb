/** The job table, and the worker that runs it and the sweeps until it is stopped. Any number of workers may run on one database. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Logger, run } from 'graphile-worker'
import { makeCheckpoint } from '../audit/daily-checkpoint.ts'
import { writeRevocations } from '../audit/revocations.ts'
import type { Context } from '../context.ts'
import { logFailure } from '../log/log.ts'
import { dropExpiredValues } from '../operator/approvals/expired.ts'
import { revokeUnseenSecrets } from '../operator/approvals/secrets.ts'
import { DELIVERY_TASK } from '../receivers/announce.ts'
import { jobSchema } from '../storage/migrate.ts'
import { type Deliveries, type DeliveryJob, startDeliveries } from './deliveries.ts'
import { type Lanes, openLanes } from './lanes.ts'
import { startMails } from './mails.ts'
import {
  dropOldChanges,
  dropOldEvents,
  dropOldExchanges,
  dropOldLinks,
  dropOldMails,
  dropOldSums,
  dropOldTries,
  dropOldUploads,
  dropUnusedPictures,
} from './retention.ts'
import { CHORES, LANES } from './sweeps.ts'

/** A job only wakes the deliveries of one merchant, and each status change adds one, so many are fetched and finished at once. */
const QUEUE = { localQueue: { size: 200 }, completeJobBatchDelay: 20 }
const CONCURRENCY = 8
/** For the sandbox beside a live world. */
const CONCURRENCY_BESIDE_LIVE = 2
const POLL_MS = 1_000
const SWEEP_MS = 1_000
/** Due work starts within a second. */
export const LANES_MS = 500
const RETENTION_MS = 60_000
/** Commands and the console write what they take back at once. This repeats what failed, and writes what the API takes back. */
const REVOCATIONS_MS = 5_000
/** Looks at every product, so it is rare. */
const PICTURES_MS = 6 * 3_600_000

export type Worker = { stop(): Promise<void> }

export async function startWorker(ctx: Context): Promise<Worker> {
  const deliveries = startDeliveries(ctx)
  const taskList = Object.fromEntries(
    Object.entries(JOBS).map(([name, job]) => [name, (payload: unknown) => job(deliveries, payload)]),
  )
  const runner = await run({
    preset: { worker: QUEUE },
    pgPool: ctx.jobsDb,
    schema: jobSchema(ctx.world),
    taskList,
    concurrency: concurrencyOf(ctx),
    pollInterval: POLL_MS,
    noHandleSignals: true,
    logger: queueLogger(ctx),
  })
  const mails = startMails(ctx)
  const stopping = new AbortController()
  const { signal } = stopping
  const lanes = Object.entries<Lanes>(LANES).map(([name, each]) => ({
    name,
    ...openLanes(ctx, name, each, signal),
  }))
  const sweeping = Promise.all([
    ...lanes.map(({ name, turn }) => repeat(ctx, name, turn, { signal, everyMs: LANES_MS })),
    ...Object.entries(CHORES).map(([name, chore]) => repeat(ctx, name, chore, { signal, everyMs: SWEEP_MS })),
    repeat(ctx, 'dueEvents', () => deliveries.sweep(), { signal, everyMs: SWEEP_MS }),
    repeat(ctx, 'mails', mails.turn, { signal, everyMs: SWEEP_MS }),
    repeat(ctx, 'expiredProposals', dropExpiredValues, { signal, everyMs: RETENTION_MS }),
    repeat(ctx, 'unseenSecrets', revokeUnseenSecrets, { signal, everyMs: RETENTION_MS }),
    repeat(ctx, 'oldMails', dropOldMails, { signal, everyMs: RETENTION_MS }),
    repeat(ctx, 'oldSums', dropOldSums, { signal, everyMs: RETENTION_MS }),
    repeat(ctx, 'oldLinks', dropOldLinks, { signal, everyMs: RETENTION_MS }),
    repeat(ctx, 'oldUploads', dropOldUploads, { signal, everyMs: RETENTION_MS }),
    repeat(ctx, 'oldEvents', dropOldEvents, { signal, everyMs: RETENTION_MS }),
    // The log, the tries and the pictures are those of both worlds.
    ...(ctx.world === ctx.config.mode
      ? [
          repeat(ctx, 'auditCheckpoint', (each) => makeCheckpoint(each), { signal, everyMs: RETENTION_MS }),
          repeat(ctx, 'oldTries', dropOldTries, { signal, everyMs: RETENTION_MS }),
          repeat(ctx, 'revocations', writeRevocations, { signal, everyMs: REVOCATIONS_MS }),
          repeat(ctx, 'unusedPictures', dropUnusedPictures, { signal, everyMs: PICTURES_MS }),
        ]
      : []),
    repeat(ctx, 'oldChanges', dropOldChanges, { signal, everyMs: RETENTION_MS }),
    repeat(ctx, 'oldExchanges', dropOldExchanges, { signal, everyMs: RETENTION_MS }),
  ])
  return {
    async stop() {
      stopping.abort()
      await Promise.all([runner.stop(), sweeping, deliveries.stop(), mails.stop()])
      await Promise.all(lanes.map(({ settle }) => settle()))
    },
  }
}

/** Never more than the pool has connections: the queue warns of that at each start. */
function concurrencyOf({ world, config, jobsDb }: Context): number {
  const wanted = world === config.mode ? CONCURRENCY : CONCURRENCY_BESIDE_LIVE
  return Math.min(wanted, jobsDb.options.max)
}

/** Repeats the sweep until the worker is stopped. A sweep that fails is logged, and the next one tries again. */
async function repeat(
  ctx: Context,
  name: string,
  sweep: (ctx: Context, stop: AbortSignal) => Promise<unknown>,
  { signal, everyMs }: { signal: AbortSignal; everyMs: number },
): Promise<void> {
  while (!signal.aborted) {
    await sweep(ctx, signal).catch((error: unknown) =>
      logFailure(ctx.log, 'error', 'sweep failed', { err: error, sweep: name }),
    )
    await sleep(everyMs, undefined, { signal }).catch(() => {})
  }
}

const LEVELS = { warning: 'warn', info: 'debug', debug: 'trace' } as const

/** Writes the queue's messages to our log. Messages about each job are written only at level debug. */
function queueLogger(ctx: Context): Logger {
  return new Logger(() => (level, message) => {
    if (level === 'error') logFailure(ctx.log, 'error', message, { queue: true })
    else ctx.log[LEVELS[level]]({ queue: true }, message)
  })
}

const JOBS = {
  [DELIVERY_TASK]: async (deliveries: Deliveries, payload: unknown) =>
    deliveries.wake((payload as DeliveryJob).merchantId),
} satisfies Record<string, (deliveries: Deliveries, payload: unknown) => Promise<void>>
