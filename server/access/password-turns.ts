/**
 * Who may have a password hashed, and when. A hash keeps a thread busy for a fifth of a second, so strangers and known browsers have a
 * queue each: strangers never hold up somebody who has signed in before. Among strangers the networks take turns, and one
 * that is new goes first.
 */
import { AppError } from '../errors.ts'
import { createTurns } from '../limits/turns.ts'

/** `known`: a browser that has signed in as this person before, or the holder of a valid link. `caller`: who takes turns. */
export type PasswordTurn = { lane: keyof typeof LANES; caller: string; gone: AbortSignal }

/** One hash at once in each lane leaves threads free for everything else. */
const LIMITS = { atOnce: 1, waiting: 24, waitingOfCaller: 6, waitMs: 10_000, remembered: 1_000 }
const LANES = { known: createTurns(LIMITS), stranger: createTurns(LIMITS) }
const RETRY_SECONDS = 5

export const PASSWORD_QUEUE = 'password_queue'

export const countPasswordsWaiting = (lane: PasswordTurn['lane']): number => LANES[lane].countWaiting()

/** @throws AppError rate_limited if the queue is full, the wait is too long or the browser has left: then nothing is hashed */
export async function inPasswordTurn<T>(
  { lane, caller, gone }: PasswordTurn,
  hash: () => Promise<T>,
): Promise<T> {
  const leave = await LANES[lane].enter(caller, gone)
  if (!leave)
    throw new AppError('rate_limited', {
      retryAfterSeconds: RETRY_SECONDS,
      about: { limit: PASSWORD_QUEUE },
    })
  try {
    return await hash()
  } finally {
    leave()
  }
}
