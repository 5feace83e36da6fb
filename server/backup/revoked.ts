/** Revokes again, after a restore, the people and tokens that were revoked since the backup. */
import type { RevocationList } from '../audit/revocations.ts'
import type { Act } from '../storage/audit/log.ts'
import { type Db, inTransaction } from '../storage/db.ts'
import {
  applyRevocation,
  countingLines,
  endRestoring,
  endSignIns,
  markWaiting,
} from '../storage/restores/revoked.ts'

/**
 * `applied`: how many rows the list has changed. `waits`: the list is missing, damaged, or does not reach back to the backup, so people
 * and tokens that may move money wait until somebody on the host confirms them. `notes`: what an operator should know. `setAgain`: what
 * was replaced since the backup. The earlier value was removed, and the newer one is lost.
 */
export type RevokedAccess = { applied: number; waits: boolean; notes: string[]; setAgain: string[] }
type Restored = { backupAt: Date; at: Date; worlds: readonly string[]; act: Act }

/** `list`: null if there is none. One transaction, at whose end a service may use the database. */
export function endAccess(
  db: Db,
  list: RevocationList | null,
  { backupAt, at, worlds, act }: Restored,
): Promise<RevokedAccess> {
  const notes = [...(list?.faults ?? [])]
  const begunAt = list?.begunAt ?? null
  const isWhole =
    list !== null && notes.length === 0 && begunAt !== null && Date.parse(begunAt) <= backupAt.getTime()
  if (list && notes.length === 0 && !isWhole)
    notes.push(
      begunAt === null
        ? 'The list of what was revoked has no line that this deployment has signed.'
        : `The list of what was revoked begins at ${begunAt}, which is after the backup.`,
    )
  return inTransaction(db, async (tx) => {
    await tx.query("select set_config('kassa.act', $1, true)", [JSON.stringify(act)])
    let applied = 0
    const setAgain: string[] = []
    for (const line of countingLines(list?.lines ?? [])) {
      const done = await applyRevocation(tx, line, { backupAt, worlds })
      if (done === null)
        notes.push(
          `Line ${line.line} of the list has the kind ${line.kind}, which this version does not know.`,
        )
      applied += done?.changed ?? 0
      if (done?.again) setAgain.push(done.again)
    }
    await endSignIns(tx, at)
    const waits = !isWhole
    if (waits) await markWaiting(tx, worlds, at)
    await endRestoring(tx)
    return { applied, waits, notes, setAgain }
  })
}
