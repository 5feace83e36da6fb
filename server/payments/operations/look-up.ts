/**
 * A merchant looks an operation up, or waits until it is decided. A shop that refunds usually learns the result in the same response.
 * Rule: a waiter holds no connection of the database, no lock and no share of the world. All waiters of a world share one read every
 * POLL_MS, whichever process works on their operations.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import type { OperationResponse, PaymentOperation } from '../../contract/operation.ts'
import { AppError } from '../../errors.ts'
import { listDecidedOperations } from '../../storage/payments/operation-sends.ts'
import { findOperation, type OperationRecord } from '../../storage/payments/operations.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { presentOperation } from '../operation.ts'
import { presentPayment } from '../view.ts'

/** @throws AppError operation_not_found, also for an operation of another merchant */
export async function lookUpOperation(
  { db }: Pick<Context, 'db'>,
  merchantId: string,
  id: string,
): Promise<PaymentOperation> {
  const operation = await findOperation(db, merchantId, id)
  if (!operation) throw new AppError('operation_not_found')
  return presentOperation(operation)
}

const UNDECIDED: readonly PaymentOperation['status'][] = ['queued', 'processing']

/**
 * Waits for the operation of a response, and returns the response as it is then, also if the process ends meanwhile. `isKept`: false if
 * the request could not wait as long as it wanted to.
 */
export async function waitForResponse(
  ctx: Context,
  merchantId: string,
  answer: OperationResponse,
  wait: { ms: number; gone: AbortSignal },
): Promise<{ answer: OperationResponse; isKept: boolean }> {
  const { id, status } = answer.operation
  if (wait.ms === 0 || !UNDECIDED.includes(status)) return { answer, isKept: true }
  const how = await waitUntilDecided(ctx, { merchantId, id }, wait)
  const isKept = how === 'kept'
  if (how === 'refused' || wait.gone.aborted) return { answer, isKept }
  const payment = answer.payment && (await findPayment(ctx.db, merchantId, answer.payment.id))
  return {
    answer: {
      ...answer,
      operation: await lookUpOperation(ctx, merchantId, id),
      ...(payment && { payment: presentPayment(ctx, payment) }),
    },
    isKept,
  }
}

const POLL_MS = 100
/** Further requests of the merchant are answered at once. Each process counts its own. */
export const WAITERS_MAX = 20

type Named = Pick<OperationRecord, 'merchantId' | 'id'>
/** `kept`: as long as the request wanted. `cut`: the process ends, or the client has left. `refused`: there was no wait. */
type Waited = 'kept' | 'cut' | 'refused'
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
async function waitUntilDecided(
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
