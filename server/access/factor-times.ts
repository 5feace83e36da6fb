/**
 * How long the second factor counts. Signing in shows it, and so does each act that asks for it. It holds for acts of its kind. For what
 * redirects money it holds only in the network in which it was shown, so a stolen session asks at once.
 */

import type { Stakes } from '../acts/guards.ts'
import { type Context, systemClock } from '../context.ts'
import { networkOf } from '../limits/network.ts'
import type { SecondFactorTimes } from '../storage/access/sessions.ts'
import * as stored from '../storage/access/sessions.ts'
import { digestOf } from './secret.ts'

export const PROVED_MS = 15 * 60_000

/** Whether the second factor was shown for acts of this kind, and still counts. */
export function isFactorFresh(proofs: SecondFactorTimes, stakes: Stakes, address: string): boolean {
  const at = stakes === 'money' ? proofs.moneyProvedAt : proofs.redirectProvedAt
  if (at === null || systemClock.now().getTime() - at.getTime() >= PROVED_MS) return false
  return stakes === 'money' || proofs.redirectNetwork === networkOf(address)
}

/** Notes that the owner of the session has just shown the second factor. Returns what the session knows then. */
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
