/**
 * Databases that a process of tests uses again, with their connections. A new database takes PostgreSQL tens of milliseconds, and so does
 * each new connection to it, because it reads the catalogue and plans every statement once more. Most tests cost less than that.
 */
import pg from 'pg'
import type { World } from '../contract/health.ts'
import type { Db } from '../storage/db.ts'
import { createKeptDatabase, type TestDatabase } from './database.ts'
import { EMPTY } from './kept-setup.ts'

/** As many as most files use at once. */
const KEPT_DATABASES = 3
/** As many as a service of a test opens. */
const KEPT_CONNECTIONS = 4

/** `lend`: this pool uses the connections of the database, and leaves them open at its end. `drop` keeps the database, if it can. */
export type LentDatabase = TestDatabase & { lend(db: Db): void }

const shelves: Record<World, { database: TestDatabase; clients: pg.Client[] }[]> = { sandbox: [], live: [] }

/**
 * Returns a database that has only what the migrations have written. `mode`: the mode of the deployment. With `live` the database has both
 * worlds.
 */
export async function borrowDatabase(postgresUrl: string, mode: World): Promise<LentDatabase> {
  const shelf = shelves[mode]
  const kept = shelf.pop() ?? { database: await createKeptDatabase(postgresUrl, mode), clients: [] }
  const { database, clients } = kept
  return {
    url: database.url,
    lend: (db) => lend(db, clients),
    async drop() {
      if (shelf.length < KEPT_DATABASES && (await empty(clients))) {
        shelf.push(kept)
        return
      }
      for (const client of clients) await client.end()
      await database.drop()
    },
  }
}

/** The pool makes its clients with `Client`. A client that is connected already only calls back. */
function lend(db: Db, clients: pg.Client[]): void {
  Object.assign(db, {
    Client: function take(options: pg.ClientConfig): pg.Client {
      const kept = clients.pop()
      const client = kept ?? new pg.Client(options)
      const again = kept && { connect: (connected: () => void) => process.nextTick(connected) }
      return Object.assign(client, again, {
        end: (ended?: () => void) => leave(client, { db, clients, ended }),
      })
    },
  })
}

type Leaving = { db: Db; clients: pg.Client[]; ended: (() => void) | undefined }

/** The pool ends its clients with this. When the pool itself ends, they stay connected. */
function leave(client: pg.Client, { db, clients, ended = () => {} }: Leaving): void {
  for (const own of ['connect', 'end', 'query']) Reflect.deleteProperty(client, own)
  if (!db.ending || client.getTransactionStatus() !== 'I') {
    client.end(ended)
    return
  }
  client.removeAllListeners()
  // The server of the tests stops before their processes.
  client.on('error', () => {})
  clients.push(client)
  process.nextTick(ended)
}

/** Makes the database and its sessions like new. Returns false if that cannot be done. */
async function empty(clients: pg.Client[]): Promise<boolean> {
  for (const client of clients.splice(KEPT_CONNECTIONS)) await client.end()
  try {
    const sessions: number[] = []
    for (const client of clients) {
      await client.query('reset all; unlisten *; discard temp; select pg_advisory_unlock_all()')
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      sessions.push(...rows.map(({ pid }) => pid))
    }
    const result = await clients[0]?.query<{ is_empty: boolean }>(EMPTY, [sessions])
    return result?.rows[0]?.is_empty ?? false
  } catch {
    return false
  }
}
