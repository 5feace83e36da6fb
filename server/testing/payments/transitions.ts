/** The database's copies of the status tables, to compare with those of the code. */
import type { Queryable } from '../../storage/db.ts'

type Table = 'payment' | 'operation' | 'fiscal' | 'receipt'

/** Returns each pair of the sandbox's table as `from to`, sorted. */
export async function listTransitions(db: Queryable, table: Table): Promise<string[]> {
  const { rows } = await db.query<{ pair: string }>(
    `select from_status || ' ' || to_status as pair from sandbox.${table}_transitions`,
  )
  return rows.map(({ pair }) => pair).sort()
}
