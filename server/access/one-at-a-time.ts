/**
 * Two people who change the same thing in the same second. Only one of them goes on, and the other one is told to look again. The
 * claim is a row and no transaction, because an act may ask a provider.
 */
import { type Context, systemClock } from '../context.ts'
import { AppError } from '../errors.ts'
import { claimStep, takeStep } from '../storage/access/sessions.ts'
import { inTransaction } from '../storage/db.ts'
import { digestOf } from './secret.ts'

/** After a crash of one process, another may continue after this time. */
const LEASE_MS = 300_000

/** `about`: what is changed. @throws AppError validation_failed while somebody else changes it; what `work` throws */
export async function oneAtATime<T>(ctx: Context, about: string, work: () => Promise<T>): Promise<T> {
  const digest = digestOf(`act ${ctx.world} ${about}`)
  const now = systemClock.now()
  const times = { now, expiresAt: new Date(now.getTime() + LEASE_MS) }
  const isFree = await inTransaction(ctx.db, (tx) => claimStep(tx, digest, times))
  if (!isFree)
    throw new AppError('validation_failed', {
      reason: 'changed_meanwhile',
      message: 'Somebody else is changing it at this moment. Look at it again, and decide then.',
    })
  try {
    return await work()
  } finally {
    await inTransaction(ctx.db, (tx) => takeStep(tx, digest, now))
  }
}
