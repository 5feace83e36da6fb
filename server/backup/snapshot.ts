/** Reads one state of a whole database: what a backup stores and what a move carries. */
import type { Readable } from 'node:stream'
import { WORLDS, type World } from '../contract/health.ts'
import { copyOut, readSnapshot } from '../storage/backup/copy.ts'
import { listMigrations, listUsedKeyIds, sumMoney } from '../storage/backup/facts.ts'
import { listSequences, listTables, type Table } from '../storage/backup/tables.ts'
import type { Db } from '../storage/db.ts'
import { SHARED } from '../storage/upgrade/files.ts'
import type { Manifest } from './manifest.ts'

/** Everything of a manifest but what is known only when the rows have passed. */
export type Facts = Pick<Manifest, 'worlds' | 'migrations' | 'sums' | 'sequences' | 'keyIds'>
export type Snapshot = { facts: Facts; tables: Table[]; read(table: Table): Readable }

/** Runs `work` on the state of this moment. The service goes on meanwhile: nobody waits for the snapshot. */
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
