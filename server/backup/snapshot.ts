/** Reads one consistent state of a whole database, for a backup or a move. */
import type { Readable } from 'node:stream'
import { WORLDS, type World } from '../contract/health.ts'
import { copyOut, readSnapshot } from '../storage/backup/copy.ts'
import { listMigrations, listUsedKeyIds, sumMoney } from '../storage/backup/facts.ts'
import { listSequences, listTables, type Table } from '../storage/backup/tables.ts'
import type { Db } from '../storage/db.ts'
import { SHARED } from '../storage/upgrade/files.ts'
import type { Manifest } from './manifest.ts'

/** The part of a manifest that is known before the rows are read. */
export type Facts = Pick<Manifest, 'worlds' | 'migrations' | 'sums' | 'sequences' | 'keyIds'>
export type Snapshot = { facts: Facts; tables: Table[]; read(table: Table): Readable }

/** Runs `work` on the current state of the database. The service continues meanwhile, because a snapshot blocks nobody. */
export function withSnapshot<T>(db: Db, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  return readSnapshot(db, async (tx) => {
    const migrations = await listMigrations(tx)
    const worlds = WORLDS.filter((world) => migrations.some(({ schema }) => schema === world))
    const each = async <Item>(ask: (world: World) => Promise<Item[]>) => {
      const found: Item[] = []
      for (const world of worlds) found.push(...(await ask(world)))
      return found
    }
    const sums = await each((world) => sumMoney(tx, world))
    const keyIds = [...new Set(await each((world) => listUsedKeyIds(tx, world)))].sort()
    const schemas = [SHARED, ...worlds]
    const tables = await listTables(tx, schemas)
    const sequences = await listSequences(tx, schemas)
    return work({
      facts: { worlds, migrations, sums, sequences, keyIds },
      tables,
      read: (table) => copyOut(tx, table),
    })
  })
}
