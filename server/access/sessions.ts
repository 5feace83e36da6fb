/** Sessions of the console. A browser has a random secret, and the database its digest. */
import { type Context, systemClock } from '../context.ts'
import { networkOf } from '../limits/network.ts'
import type { SecondFactorTimes } from '../storage/access/sessions.ts'
import * as stored from '../storage/access/sessions.ts'
import type { UserRecord } from '../storage/access/users.ts'
import type { Queryable } from '../storage/db.ts'
import { digestOf, newSecret } from './secret.ts'

export const SESSION_SECONDS = 12 * 3_600
const IDLE_MS = 30 * 60_000
/** A session that is used all the time is written once in this time. */
const TOUCH_MS = 60_000

/** Every sign-in makes a new secret, so a secret that somebody has planted in the browser is never valid. */
export async function openSession(tx: Queryable, userId: string, address: string): Promise<string> {
  const secret = newSecret()
  const now = systemClock.now()
  const endsAt = new Date(now.getTime() + SESSION_SECONDS * 1_000)
  await stored.insertSession(tx, digestOf(secret), userId, { now, endsAt, network: networkOf(address) })
  return secret
}

/**
 * Returns the person of the session; null if it has ended. `isUse`: false for requests that a browser sends by itself. They do not keep
 * the session alive.
 */
export async function findSession(
  { db }: Context,
  secret: string | undefined,
  { isUse = true } = {},
): Promise<{ user: UserRecord; factorTimes: SecondFactorTimes } | null> {
  if (secret === undefined) return null
  const now = systemClock.now()
  const digest = digestOf(secret)
  const found = await stored.findSession(db, digest, { now, idleSince: new Date(now.getTime() - IDLE_MS) })
  if (!found) return null
  const { seenAt, moneyProvedAt, redirectProvedAt, redirectNetwork, ...user } = found
  if (isUse && now.getTime() - seenAt.getTime() > TOUCH_MS) await stored.touchSession(db, digest, now)
  return { user, factorTimes: { moneyProvedAt, redirectProvedAt, redirectNetwork } }
}

export async function endSession({ db }: Context, secret: string): Promise<void> {
  await stored.endSession(db, digestOf(secret))
}
