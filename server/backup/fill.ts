/**
 * Fills an empty database from a backup or from another database, in one transaction. If it is interrupted, the database stays
 * empty.
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
  /** Returns the digest that the rows of a table must have. Called after all rows were read. */
  digestOf(table: Table): Digest
  /**
   * How many numbers each sequence skips. Orders that were created after a backup are lost, but providers know their numbers. A new
   * order must never get such a number.
   */
  skippedNumbers: number
}

/**
 * Builds the source's schema, copies every row, compares each table's rows, and then upgrades the schema to this version.
 * @throws AppError validation_failed if the database is not empty or is in use, or if a table's rows differ from the source's
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
      expectRows(table, digest.result(), source.digestOf(table), 'were copied')
      onProgress(`${index + 1} of ${tables.length}: ${nameOfTable(table)}, ${digest.result().rows} rows`)
    }
    await continueSequences(tx, source.facts.sequences, source.skippedNumbers)
    await wakeTriggers(tx, [...known.values()])
  })
  await migrate(db, source.facts.worlds)
}

/** Reads every row of a filled database again. @throws AppError validation_failed for the first table that differs */
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

/** Returns what is wrong with the money in a filled database, as sentences for an operator. */
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
        faults.push(`In the ${world} world ${rows} rows break this rule: ${rule}.`)
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
      `Another process of Kassa uses this database (${others} connections). Stop every service and worker of this database first.`,
    )
  if (await holdsData(tx))
    throw unfit(
      'This database already has merchants, and a restore or a move never overwrites them. Choose an empty database.',
    )
}

/** Fails if this build lacks a column of the source, because the column's values would be lost. */
function expectSame(table: Table, known: Table | undefined): Table {
  const missing = known ? table.columns.filter((column) => !known.columns.includes(column)) : table.columns
  if (missing.length === 0) return table
  throw unfit(
    `In this version ${nameOfTable(table)} has no ${missing.join(', ')}. Use the version that the rows come from, or a newer one.`,
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
    `${nameOfTable(table)}: ${found.rows} rows ${verb}, and ${expected.rows} were expected${found.rows === expected.rows ? '. Their contents differ' : ''}. The files are damaged or were changed.`,
  )
}
