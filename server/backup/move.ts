/** Moves everything to another database, and marks the old database as moved. */

import { countRemaining, noteMove } from '../storage/backup/facts.ts'
import { nameOfTable, type Table } from '../storage/backup/tables.ts'
import { APPLICATION, type Db } from '../storage/db.ts'
import type { Progress } from './create.ts'
import { compareRows, fill, findFaults } from './fill.ts'
import { unfit } from './manifest.ts'
import { type Digest, RowDigest } from './row-digest.ts'
import { withSnapshot } from './snapshot.ts'

export type Moved = { rows: number; tables: number; faults: string[] }

/**
 * Copies all rows from `from` to `to`, compares them one by one, and then marks `from` as moved. A service that is started on a moved
 * database by mistake fails, because two databases with different payments could not be merged. Before the mark nothing in `from`
 * changes.
 * @throws AppError validation_failed whose message says why nothing was moved
 */
export async function moveDatabase(
  from: Db,
  to: Db,
  { target, at, onProgress }: { target: string; at: Date; onProgress: Progress },
): Promise<Moved> {
  const others = await countRemaining(from, APPLICATION)
  if (others > 0)
    throw unfit(
      `The service is running (${others} connections). Stop every service and worker first, because rows that they write during the move would be lost.`,
    )
  const digests = new Map<string, RowDigest>()
  const copied: (Table & Digest)[] = []
  const faults = await withSnapshot(from, async ({ facts, tables, read }) => {
    const passing = (table: Table) => {
      const digest = new RowDigest()
      digests.set(nameOfTable(table), digest)
      return read(table).pipe(digest)
    }
    const digestOf = (table: Table) => digests.get(nameOfTable(table))?.result() ?? { rows: 0, digest: '' }
    await fill(to, { facts, tables, read: passing, digestOf, skippedNumbers: 0 }, onProgress)
    copied.push(...tables.map((table) => ({ ...table, ...digestOf(table) })))
    onProgress('Reading every row again')
    await compareRows(to, copied)
    return findFaults(to, facts)
  })
  if (faults.length === 0) await noteMove(from, target, at)
  return { tables: copied.length, rows: copied.reduce((sum, { rows }) => sum + rows, 0), faults }
}
