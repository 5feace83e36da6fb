/** Compares a filled database with its source: every row, and the money. */
import { counted } from '../messages/counted.ts'
import { copyOut, readSnapshot } from '../storage/backup/copy.ts'
import { findBrokenRules, sumMoney } from '../storage/backup/facts.ts'
import { nameOfTable, type Table } from '../storage/backup/tables.ts'
import type { Db, Tx } from '../storage/db.ts'
import { type Manifest, type TableEntry, unfit } from './manifest.ts'
import { type Digest, RowDigest } from './row-digest.ts'

/** Reads every row of a filled database again. @throws AppError validation_failed for the first table that differs */
export async function compareRows(
  db: Db,
  entries: readonly (TableEntry | (Table & Digest))[],
): Promise<void> {
  await readSnapshot(db, async (tx) => {
    for (const entry of entries) expectRows(entry, await digestTable(tx, entry), entry, 'are in the database')
  })
}

/** Reads every row of a table. */
export async function digestTable(tx: Tx, table: Table): Promise<Digest> {
  const digest = new RowDigest()
  for await (const _ of copyOut(tx, table).pipe(digest));
  return digest.result()
}

/** @throws AppError validation_failed if the rows are not the expected ones */
export function expectRows(
  table: Pick<Table, 'schema' | 'name'>,
  found: Digest,
  expected: Digest,
  verb: string,
): void {
  if (isSame(found, expected)) return
  throw unfit(
    `${nameOfTable(table)}: ${counted(found.rows, 'row')} ${verb}, and ${expected.rows} were expected${found.rows === expected.rows ? '. Their contents differ' : ''}. The files are damaged or were changed.`,
  )
}

export const isSame = (one: Digest, other: Digest) => one.rows === other.rows && one.digest === other.digest

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
        faults.push(`The sums of payments in the ${world} world differ from those of the original.`)
      for (const { rule, rows } of await findBrokenRules(tx, world))
        faults.push(
          `In the ${world} world ${counted(rows, 'row')} ${rows === 1 ? 'breaks' : 'break'} this rule: ${rule}.`,
        )
    }
    return faults
  })
}

const sortSums = (sums: Manifest['sums']) =>
  sums
    .map((sum) => Object.entries(sum).sort(([one], [other]) => (one < other ? -1 : 1)))
    .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
