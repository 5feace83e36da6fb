/**
 * How long a second factor is valid. A person gives it when signing in, and for each act that asks for it. It is valid for acts with the
 * same stakes. For acts that redirect money it is valid only in the network where it was given, so a stolen session cannot use it elsewhere.
 */
import type { Stakes } from '../acts/guards.ts'
import { type Context, systemClock } from '../context.ts'
import { networkOf } from '../limits/network.ts'
import type { SecondFactorTimes } from '../storage/access/sessions.ts'
import * as stored from '../storage/access/sessions.ts'
import { digestOf } from './secret.ts'

export const FACTOR_VALID_MS = 15 * 60_000

/** Whether the second factor was given for acts with these stakes, and is still valid. */
export function isFactorFresh(proofs: SecondFactorTimes, stakes: Stakes, address: string): boolean {
  const at = stakes === 'money' ? proofs.moneyProvedAt : proofs.redirectProvedAt
  if (at === null || systemClock.now().getTime() - at.getTime() >= FACTOR_VALID_MS) return false
  return stakes === 'money' || proofs.redirectNetwork === networkOf(address)
}

/** Stores that the owner of the session has just given the second factor. Returns the session's new times. */
export async function noteSecondFactor(
  { db }: Context,
  { session, factorTimes }: { session: string; factorTimes: SecondFactorTimes },
  stakes: Stakes,
  address: string,
): Promise<SecondFactorTimes> {
  const now = systemClock.now()
  const known =
    stakes === 'money'
      ? { ...factorTimes, moneyProvedAt: now }
      : { ...factorTimes, redirectProvedAt: now, redirectNetwork: networkOf(address) }
  await stored.setSecondFactorTimes(db, digestOf(session), known)
  return known
}
