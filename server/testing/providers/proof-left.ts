/** What a test of an account may not leave in the database. */
import type { Context } from '../../context.ts'

export async function findRecordedCalls({
  db,
}: Pick<Context, 'db'>): Promise<{ calls: number; keys: number }> {
  const { rows } = await db.query<{ calls: number; keys: number }>(
    `select (select count(*)::int from sandbox.recorded_calls) as calls,
       (select count(*)::int from sandbox.account_facts where name = 'recording') as keys`,
  )
  return rows[0] ?? { calls: -1, keys: -1 }
}
