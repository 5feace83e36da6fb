import type { Db } from '../storage/db.ts'

/** The variable by which node-postgres tells the database whose connection it is, unless the server sets a name of its own. */
export const nameConnections = (name: string) => ({ PGAPPNAME: `bench_${name}` })

/** Database connections of the server that got `nameConnections(name)`. A checkout of Kassa has a database of that name for itself. */
export async function countConnections(db: Db, name: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*) from pg_stat_activity where $1 in (application_name, datname)',
    [nameConnections(name).PGAPPNAME],
  )
  return rows[0]?.count ?? 0
}
