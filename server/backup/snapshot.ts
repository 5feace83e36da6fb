/** Reads one consistent state of a whole database, for a backup or a move. */
import type { Readable } from 'node:stream'
import { WORLDS, type World } from '../contract/health.ts'
import { copyOut, readSnapshot } from '../storage/backup/copy.ts'
import { listMigrations, listUsedKeyIds, sumMoney } from '../storage/backup/facts.ts'
import { listSequences, listTables, type Table } from '../storage/backup/tables.ts'
import type { Db, Tx } from '../storage/db.ts'
import { SHARED } from '../storage/upgrade/files.ts'
import type { Manifest } from './manifest.ts'

/** The part of a manifest that is known before the rows are read. */
export type ManifestFacts = Pick<Manifest, 'worlds' | 'migrations' | 'sums' | 'sequences' | 'keyIds'>
export type Snapshot = { facts: ManifestFacts; tables: Table[]; read(table: Table): Readable }

/** The part of the facts that takes no time, however many rows there are. */
export type Frame = Pick<ManifestFacts, 'worlds' | 'migrations' | 'sequences'> & { tables: Table[] }

/** Runs `work` on the current state of the database. The service continues meanwhile, because a snapshot blocks nobody. */
export function withSnapshot<T>(db: Db, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  return readSnapshot(db, async (tx) => {
    const { tables, ...frame } = await readFrame(tx)
    const facts = { ...frame, ...(await readMoney(tx, frame)) }
    return work({ facts, tables, read: (table) => copyOut(tx, table) })
  })
}

export async function readFrame(tx: Tx): Promise<Frame> {
  const migrations = await listMigrations(tx)
  const worlds = WORLDS.filter((world) => migrations.some(({ schema }) => schema === world))
  const schemas = [SHARED, ...worlds]
  const tables = await listTables(tx, schemas)
  return { worlds, migrations, tables, sequences: await listSequences(tx, schemas) }
}

/** Reads every payment. */
export async function readMoney(
  tx: Tx,
  { worlds }: Pick<Frame, 'worlds'>,
): Promise<Pick<ManifestFacts, 'sums' | 'keyIds'>> {
  const each = async <Item>(ask: (world: World) => Promise<Item[]>) => {
    const found: Item[] = []
    for (const world of worlds) found.push(...(await ask(world)))
    return found
  }
  const sums = await each((world) => sumMoney(tx, world))
  return { sums, keyIds: [...new Set(await each((world) => listUsedKeyIds(tx, world)))].sort() }
}
