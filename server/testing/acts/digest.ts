/** One digest for each of the service's tables, so that a test sees any change. */
import type { Context } from '../../context.ts'

/** What each request and each question for the second factor notes, whatever the page does. */
const NOTED_BY_VISITS = ['kassa.console_sessions', 'kassa.sign_in_steps', 'kassa.shared_buckets']

/** `visits`: whether a page was visited meanwhile, which notes the visit. */
export async function digestOfAll(
  { db }: Pick<Context, 'db'>,
  { visits }: { visits: boolean },
): Promise<Record<string, string>> {
  const { rows } = await db.query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.tables
     where table_schema in ('kassa', 'kassa_audit', 'sandbox') and table_type = 'BASE TABLE' order by 1`,
  )
  const names = rows.map(({ name }) => name).filter((name) => !visits || !NOTED_BY_VISITS.includes(name))
  // Each written row has the number of the transaction that wrote it. To read it costs a third of a digest over the texts of all rows.
  const digests = names.map(
    (name) =>
      `select '${name}' as name, count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0) as digest from ${name}`,
  )
  // A statement with a name is planned once for each connection.
  const text = digests.join(' union all ')
  const found = await db.query<{ name: string; digest: string }>({ name: `digest_of_all_${visits}`, text })
  return Object.fromEntries(found.rows.map(({ name, digest }) => [name, digest]))
}
