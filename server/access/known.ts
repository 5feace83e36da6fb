/**
 * A person is told that something is done only when every process knows it. Until then a sale could still go to the account, at the
 * price or by the token of before.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isKeptInMemory } from '../acts/policy.ts'
import { lastCommitOf } from '../storage/audit/act.ts'
import type { Db } from '../storage/db.ts'
import { listLivingProcesses } from '../storage/processes.ts'

/** Longer than any process keeps what it has read: see `accounts/directory.ts` and `merchants/cache.ts`. */
const KEPT_MS = 1_000

/** Waits until all services know what this process has changed since then. `since`: as `performance.now` counts. */
export async function untilKnown(db: Db, since: number): Promise<void> {
  const changedAt = lastCommitOf(isKeptInMemory)
  if (changedAt < since || (await listLivingProcesses(db, '')).length === 0) return
  await sleep(changedAt + KEPT_MS - performance.now())
}
