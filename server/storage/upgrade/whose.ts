/**
 * Whose database it is. Rule: Kassa creates its tables in an empty database alone, and drops nothing of another program. A setting that
 * was meant for another program names that program's database.
 */
import type { Queryable } from '../db.ts'
import { unfit } from './ledger.ts'

/** `tables`: some that are not Kassa's and of no extension. The schema of the audit log may be prepared before the first start. */
type Content = { name: string; isKassa: boolean; tables: string[] }
const CONTENT = `
  select current_database() as name, to_regclass('kassa.migrations') is not null as "isKassa", array(
    select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema$|kassa_audit$)'
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
    order by 1 limit 3) as tables`

/**
 * `mayCreate`: false for a command that names something existing, which would find nothing in a new database.
 * @throws AppError storage_unavailable if the database is another program's, or is empty and nothing may be created
 */
export async function expectOwn(
  client: Queryable,
  { mayCreate = true }: { mayCreate?: boolean | undefined } = {},
): Promise<void> {
  const { rows } = await client.query<Content>(CONTENT)
  const { name, isKassa, tables } = rows[0] ?? { name: '', isKassa: false, tables: [] }
  if (isKassa) return
  if (tables.length > 0)
    throw unfit(
      `The database ${name} belongs to another program: it has ${tables.join(', ')}, and nothing of Kassa. Nothing was changed. Give Kassa a database of its own.`,
    )
  if (!mayCreate)
    throw unfit(
      `There is no Kassa in the database ${name}, and this command creates none. Nothing was changed. Set DATABASE_URL to the database of your service, or start the service first.`,
    )
}
