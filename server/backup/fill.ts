/**
 * Fills an empty database from a backup or from another database, in one transaction. If it is interrupted, the database stays
 * empty.
 */
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { counted } from '../messages/counted.ts'
import { countGuardedRows } from '../storage/audit/log.ts'
import { findAuditGuard } from '../storage/audit/place.ts'
import { copyIn, emptyTables, fillDatabase, silenceTriggers, wakeTriggers } from '../storage/backup/copy.ts'
import { countRemaining, holdsData } from '../storage/backup/facts.ts'
import { continueSequences, listTables, nameOfTable, type Table } from '../storage/backup/tables.ts'
import { APPLICATION, type Db, type Tx } from '../storage/db.ts'
import { migrate, rebuild } from '../storage/migrate.ts'
import { SHARED } from '../storage/upgrade/files.ts'
import { type Digest, expectRows, RowDigest } from './compare.ts'
import type { Progress } from './create.ts'
import { unfit } from './manifest.ts'
import type { ManifestFacts } from './snapshot.ts'

export type Source = {
  facts: Pick<ManifestFacts, 'worlds' | 'migrations' | 'sequences'>
  tables: Table[]
  read(table: Table): Readable
  /**
   * How many numbers each sequence of the database skips. Rows that were written after a backup are lost, but others may know their
   * numbers. Order numbers of accounts are not among them: each account skips as many as it needs, see `payments/attempts/reference.ts`.
   */
  skippedNumbers: number
}

/**
 * Builds the source's schema, copies every row, compares each table's rows, and then upgrades the schema to this version.
 * `digestOf`: returns the digest that the rows of a table must have. Called after all rows were read. `finish`: runs last in the
 * transaction, for what the database must know of its own origin.
 * @throws AppError validation_failed if the database is not empty or is in use, or if a table's rows differ from the source's
 */
export async function fill(
  db: Db,
  {
    digestOf,
    finish,
    ...source
  }: Source & {
    digestOf(table: Table): Digest
    finish?(tx: Tx): Promise<void>
  },
  onProgress: Progress,
): Promise<void> {
  await fillDatabase(db, async (tx) => {
    await expectUnused(tx)
    if (await holdsData(tx))
      throw unfit(
        'This database already has merchants, and a restore never overwrites them. Choose an empty database.',
      )
    await fillTables(tx, source, (table, copied, line) => {
      expectRows(table, copied, digestOf(table), 'were copied')
      onProgress(line)
    })
    await finish?.(tx)
  })
  await migrate(db, source.facts.worlds)
}

/** Replaces everything in the transaction's database. `onTable`: called after each table, with a line for the operator. */
export async function fillTables(
  tx: Tx,
  { facts, tables: wanted, read, skippedNumbers }: Source,
  onTable: (table: Table, copied: Digest, line: string) => void,
): Promise<void> {
  await expectEmptyLog(tx)
  await rebuild(tx, facts.migrations)
  const known = new Map(
    (await listTables(tx, [SHARED, ...facts.worlds])).map((table) => [nameOfTable(table), table]),
  )
  const tables = wanted.map((table) => expectSame(table, known.get(nameOfTable(table))))
  await silenceTriggers(tx, [...known.values()])
  await emptyTables(tx, [...known.values()])
  for (const [index, table] of tables.entries()) {
    const digest = new RowDigest()
    await pipeline(read(table), digest, copyIn(tx, table))
    const copied = digest.result()
    onTable(
      table,
      copied,
      `${index + 1} of ${tables.length}: ${nameOfTable(table)}, ${counted(copied.rows, 'row')}`,
    )
  }
  await continueSequences(tx, facts.sequences, skippedNumbers)
  await wakeTriggers(tx, [...known.values()])
}

/** A log with rows that another role owns must not be replaced. @throws AppError validation_failed */
async function expectEmptyLog(tx: Tx): Promise<void> {
  const { isPrepared, owner } = await findAuditGuard(tx)
  const rows = isPrepared ? await countGuardedRows(tx) : 0
  if (rows > 0)
    throw unfit(
      `The audit log of this database has begun: it has ${counted(rows, 'row')}, belongs to the role ${owner}, and cannot be replaced. Choose a new database that no service has used yet.`,
    )
}

/** @throws AppError validation_failed if another process of Kassa has connections to the database */
export async function expectUnused(tx: Tx): Promise<void> {
  const others = await countRemaining(tx, APPLICATION)
  if (others > 0)
    throw unfit(
      `Another process of Kassa uses this database (${counted(others, 'connection')}). Stop every service and worker of this database first.`,
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
