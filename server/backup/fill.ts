/**
 * Fills an empty database from a backup or from another database, in one transaction: whatever interrupts it, the database is
 * then as empty as before.
 */
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  copyIn,
  copyOut,
  emptyTables,
  fillDatabase,
  readSnapshot,
  wakeTriggers,
} from '../storage/backup/copy.ts'
import { countRemaining, findBrokenRules, holdsData, sumMoney } from '../storage/backup/facts.ts'
import { continueSequences, listTables, nameOfTable, type Table } from '../storage/backup/tables.ts'
import { APPLICATION, type Db, type Tx } from '../storage/db.ts'
import { migrate, rebuild } from '../storage/migrate.ts'
import { SHARED } from '../storage/upgrade/files.ts'
import type { Progress } from './create.ts'
import { type Manifest, type TableEntry, unfit } from './manifest.ts'
import { type Digest, RowDigest } from './row-digest.ts'
import type { Facts } from './snapshot.ts'

export type Source = {
  facts: Facts
  tables: Table[]
  read(table: Table): Readable
  /** The digest that the rows of a table must have; asked after all of them were read. */
  digestOf(table: Table): Digest
  /**
   * How many numbers each sequence leaves out. What was made after a backup is lost, but its numbers are known to providers, and an
   * order must never get the number of another.
   */
  skippedNumbers: number
}

/**
 * Builds the schema as the source had it, copies every row, compares each table's rows, and then brings the schema to this
 * version.
 * @throws AppError validation_failed when the database is not empty or in use, or a table has other rows than the source
 */
export async function fill(db: Db, source: Source, onProgress: Progress): Promise<void> {
  await fillDatabase(db, async (tx) => {
    await expectEmpty(tx)
    await rebuild(tx, source.facts.migrations)
    const known = new Map(
      (await listTables(tx, [SHARED, ...source.facts.worlds])).map((table) => [nameOfTable(table), table]),
    )
    const tables = source.tables.map((table) => expectSame(table, known.get(nameOfTable(table))))
    await emptyTables(tx, [...known.values()])
    for (const [index, table] of tables.entries()) {
      const digest = new RowDigest()
      await pipeline(source.read(table), digest, copyIn(tx, table))
      expectRows(table, digest.result(), source.digestOf(table), 'came')
      onProgress(`${index + 1} of ${tables.length}: ${nameOfTable(table)}, ${digest.result().rows} rows`)
    }
    await continueSequences(tx, source.facts.sequences, source.skippedNumbers)
    await wakeTriggers(tx, [...known.values()])
  })
  await migrate(db, source.facts.worlds)
}

/** Reads every row of a filled database once more. @throws AppError validation_failed for the first table that differs */
export async function compareRows(
  db: Db,
  entries: readonly (TableEntry | (Table & Digest))[],
): Promise<void> {
  await readSnapshot(db, async (tx) => {
    for (const entry of entries) {
      const digest = new RowDigest()
      const rows = copyOut(tx, entry).pipe(digest)
      for await (const _ of rows);
      expectRows(entry, digest.result(), entry, 'are in the database')
    }
  })
}

/** What is wrong with the money in a filled database, in words for an operator; empty when all is well. */
export async function findFaults(
  db: Db,
  { worlds, sums }: Pick<Manifest, 'worlds' | 'sums'>,
): Promise<string[]> {
  return readSnapshot(db, async (tx) => {
    const faults: string[] = []
    for (const world of worlds) {
      const expected = sums.filter((sum) => sum.world === world)
      const found = await sumMoney(tx, world)
      if (JSON.stringify(sortSums(expected)) !== JSON.stringify(sortSums(found)))
        faults.push(`The sums of payments in the ${world} world differ from those of the backup.`)
      for (const { rule, rows } of await findBrokenRules(tx, world))
        faults.push(`In the ${world} world this does not hold for ${rows} rows: ${rule}.`)
    }
    return faults
  })
}

const sortSums = (sums: Manifest['sums']) =>
  sums
    .map((sum) => Object.entries(sum).sort(([one], [other]) => (one < other ? -1 : 1)))
    .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))

async function expectEmpty(tx: Tx): Promise<void> {
  const others = await countRemaining(tx, APPLICATION)
  if (others > 0)
    throw unfit(
      `Another process of Kassa uses this database (${others} connections). Stop every service and worker on it first.`,
    )
  if (await holdsData(tx))
    throw unfit(
      'This database holds merchants already, and nothing in it is ever overwritten. Name an empty database.',
    )
}

/** A column that this build does not know would be lost, so nothing is restored then. */
function expectSame(table: Table, known: Table | undefined): Table {
  const missing = known ? table.columns.filter((column) => !known.columns.includes(column)) : table.columns
  if (missing.length === 0) return table
  throw unfit(
    `This version has no ${nameOfTable(table)} with ${missing.join(', ')}. Use the version that the rows come from, or a newer one.`,
  )
}

function expectRows(
  table: Pick<Table, 'schema' | 'name'>,
  found: Digest,
  expected: Digest,
  verb: string,
): void {
  if (found.rows === expected.rows && found.digest === expected.digest) return
  throw unfit(
    `${nameOfTable(table)}: ${found.rows} rows ${verb}, and ${expected.rows} were expected${found.rows === expected.rows ? ', but their contents differ' : ''}. The files are damaged, or were changed.`,
  )
}
