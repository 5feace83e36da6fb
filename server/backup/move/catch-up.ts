/** Brings what was written since the copy, or since the last catching up, to the other database. */
import { pipeline } from 'node:stream/promises'
import { checkReferences, copyReplaced, deleteByKeys, holdArrival } from '../../storage/backup/arrival.ts'
import {
  copyIn,
  fillDatabase,
  readSnapshot,
  readTracked,
  silenceTriggers,
  wakeTriggers,
} from '../../storage/backup/copy.ts'
import { listMigrations } from '../../storage/backup/facts.ts'
import { flushCommits, type Move } from '../../storage/backup/fence.ts'
import { continueSequences, nameOfTable } from '../../storage/backup/tables.ts'
import {
  copyWrittenKeys,
  copyWrittenRows,
  forgetWritten,
  listWritten,
  type TrackedTable,
} from '../../storage/backup/tracking.ts'
import type { Db, Tx } from '../../storage/db.ts'
import { digestTable, findFaults, isSame } from '../compare.ts'
import { unfit } from '../manifest.ts'
import { type Digest, RowDigest } from '../row-digest.ts'
import { type Frame, readFrame, readMoney } from '../snapshot.ts'

export type Databases = { from: Db; to: Db; move: Move }
export type Compared = { rows: number; tables: number; faults: string[] }

/**
 * Replaces every row whose key was noted with its present state, and compares these rows one by one. Everything is read in one
 * state of the source, and both databases are the same afterwards, if nothing is written meanwhile. Repeating it is harmless: the
 * notes are forgotten after the rows are stored. Returns how many rows were replaced.
 */
export function catchUp(databases: Databases): Promise<number> {
  return readTracked(databases.from, async (source) => {
    const frame = await readFrame(source)
    return (await replaceWritten(source, frame, databases)).keys
  })
}

/** Catches up, and then compares every row and the money. The source's state is the same for both. */
export function catchUpAndCompare(databases: Databases): Promise<Compared & { keys: number }> {
  return readTracked(databases.from, async (source) => {
    const frame = await readFrame(source)
    const { keys } = await replaceWritten(source, frame, databases)
    const rows = await compareTables(source, frame, databases.to)
    const { sums } = await readMoney(source, frame)
    const faults = await findFaults(databases.to, { worlds: frame.worlds, sums })
    return { keys, rows, tables: frame.tables.length, faults }
  })
}

async function replaceWritten(
  source: Tx,
  { migrations, tables, sequences }: Frame,
  { from, to, move }: Databases,
): Promise<{ keys: number }> {
  let keys = 0
  const written = await fillDatabase(to, async (target) => {
    await holdArrival(target, move.id)
    // A new table would have no notes.
    if (JSON.stringify(await listMigrations(target)) !== JSON.stringify(migrations))
      throw unfit('The schema of this database was upgraded during the move. Run the command again.')
    const written = await listWritten(source, tables)
    await silenceTriggers(target, written)
    for (const table of written) keys += await deleteByKeys(target, table, copyWrittenKeys(source, table))
    const digests: Digest[] = []
    for (const table of written) digests.push(await insertWritten(source, target, table))
    await checkReferences(target)
    for (const [index, table] of written.entries()) {
      const found = new RowDigest()
      for await (const _ of copyReplaced(target, table).pipe(found));
      expectCopied(table, found.result(), digests[index] as Digest)
    }
    await continueSequences(target, sequences, 0)
    await wakeTriggers(target, written)
    await flushCommits(from, move)
    return written
  })
  await forgetWritten(source, written)
  return { keys }
}

async function insertWritten(source: Tx, target: Tx, table: TrackedTable): Promise<Digest> {
  const digest = new RowDigest()
  await pipeline(copyWrittenRows(source, table), digest, copyIn(target, table))
  return digest.result()
}

/** Reads both databases at once, table by table. Returns the number of rows. */
async function compareTables(source: Tx, { tables }: Frame, to: Db): Promise<number> {
  return readSnapshot(to, async (target) => {
    let rows = 0
    for (const table of tables) {
      const [expected, found] = await Promise.all([digestTable(source, table), digestTable(target, table)])
      expectCopied(table, found, expected)
      rows += found.rows
    }
    return rows
  })
}

function expectCopied(table: Parameters<typeof nameOfTable>[0], found: Digest, expected: Digest): void {
  if (!isSame(found, expected))
    throw unfit(
      `${nameOfTable(table)} differs in the other database: it has ${found.rows} rows there and ${expected.rows} here. This database was not changed: go on with it, and report this.`,
    )
}
