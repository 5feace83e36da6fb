/** Compares a filled database with its source: every row, and the money. */

import { createHash } from 'node:crypto'
import { Transform, type TransformCallback } from 'node:stream'
import { counted } from '../messages/counted.ts'
import { copyOut, readSnapshot } from '../storage/backup/copy.ts'
import { findBrokenRules, sumMoney } from '../storage/backup/facts.ts'
import { nameOfTable, type Table } from '../storage/backup/tables.ts'
import type { Db, Tx } from '../storage/db.ts'
import { type Manifest, type TableEntry, unfit } from './manifest.ts'

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

const NEWLINE = 10
const BITS = 256n

export type Digest = { rows: number; digest: string }

/**
 * The digest is the sum of the rows' SHA-256, so it does not depend on the order of the rows. Two databases return the same rows in
 * different orders. In the text format of COPY a row is one line, and no value contains a line break.
 */
export class RowDigest extends Transform {
  #rows = 0
  #sum = 0n
  #rest: Buffer[] = []

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(Buffer.concat([...this.#rest, chunk.subarray(start, end)]))
      this.#rest = []
      start = end + 1
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start))
    done(null, chunk)
  }

  #add(row: Buffer): void {
    this.#rows += 1
    const hash = createHash('sha256').update(row).digest('hex')
    this.#sum = BigInt.asUintN(Number(BITS), this.#sum + BigInt(`0x${hash}`))
  }

  result(): Digest {
    return { rows: this.#rows, digest: this.#sum.toString(16).padStart(64, '0') }
  }
}
