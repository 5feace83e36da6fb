/**
 * Requests that wait until their operation is decided. A shop that refunds usually learns the result in the same response.
 * Rule: a waiter holds no connection of the database, no lock and no share of the world. All waiters of a world share one read every
 * POLL_MS, whichever process works on their operations.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { listDecidedOperations } from '../../storage/payments/operation-sends.ts'
import type { OperationRecord } from '../../storage/payments/operations.ts'

const POLL_MS = 100
/** Further requests of the merchant are answered at once. Each process counts its own. */
export const WAITERS_MAX = 20

type Named = Pick<OperationRecord, 'merchantId' | 'id'>
/** `kept`: as long as the request wanted. `cut`: the process ends, or the client has left. `refused`: there was no wait. */
export type Waited = 'kept' | 'cut' | 'refused'
type Waiter = Named & { wake(how: Waited): void }
type World = { waiters: Set<Waiter>; isPolling: boolean; isLeaving: boolean }
const worlds = new WeakMap<Context['db'], World>()

function worldOf({ db }: Pick<Context, 'db'>): World {
  const known = worlds.get(db) ?? { waiters: new Set(), isPolling: false, isLeaving: false }
  worlds.set(db, known)
  return known
}

/**
 * Waits until the operation has succeeded, failed or goes to a person, at most `ms`. `gone`: aborted when nobody waits for the response
 * any more. There is no wait if the merchant has too many waiters, or if the process ends already.
 */
export async function waitUntilDecided(
  ctx: Pick<Context, 'db' | 'log'>,
  { merchantId, id }: Named,
  { ms, gone }: { ms: number; gone: AbortSignal },
): Promise<Waited> {
  const world = worldOf(ctx)
  const own = [...world.waiters].filter((each) => each.merchantId === merchantId)
  if (world.isLeaving || own.length >= WAITERS_MAX || gone.aborted) return 'refused'
  const { promise, resolve } = Promise.withResolvers<Waited>()
  const waiter: Waiter = { merchantId, id, wake: resolve }
  const timer = setTimeout(() => resolve('kept'), ms)
  const leave = () => resolve('cut')
  gone.addEventListener('abort', leave)
  world.waiters.add(waiter)
  if (!world.isPolling) void poll(ctx, world)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    gone.removeEventListener('abort', leave)
    world.waiters.delete(waiter)
  }
}

async function poll(ctx: Pick<Context, 'db' | 'log'>, world: World): Promise<void> {
  world.isPolling = true
  while (world.waiters.size > 0) {
    await sleep(POLL_MS)
    const waiters = [...world.waiters]
    try {
      const decided = new Set((await listDecidedOperations(ctx.db, waiters)).map(({ id }) => id))
      for (const { id, wake } of waiters) if (decided.has(id)) wake('kept')
    } catch (error) {
      // The response is right without the wait. Each waiter ends by its own time.
      ctx.log.warn({ err: error }, 'waiting requests could not read their operations')
    }
  }
  world.isPolling = false
}

/** The process ends: nobody waits any longer. */
export function endWaits(ctx: Pick<Context, 'db'>): void {
  const world = worldOf(ctx)
  world.isLeaving = true
  for (const { wake } of world.waiters) wake('cut')
}

/** Returns how many requests wait. */
export const countWaits = (ctx: Pick<Context, 'db'>): number => worldOf(ctx).waiters.size
