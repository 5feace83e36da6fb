import type { Db } from '../storage/db.ts'

/** Sets the application name of node-postgres connections, unless the server sets its own name. */
export const nameConnections = (name: string) => ({ PGAPPNAME: `bench_${name}` })

/** Counts the connections of the server that was started with `nameConnections(name)`. For a checkout of Kassa, `name` is its database. */
export async function countConnections(db: Db, name: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*) from pg_stat_activity where application_name = $1::text or datname = $1::text',
    [nameConnections(name).PGAPPNAME],
  )
  return rows[0]?.count ?? 0
}
