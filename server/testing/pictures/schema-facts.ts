/** What the picture of the schema shows, read from a real database: tables, primary keys and foreign keys. */
import type { Db } from '../../storage/db.ts'
import { describedTables } from './described-tables.ts'

export type Table = {
  schema: string
  name: string
  /** The columns of the primary key, in their order. */
  key: string[]
  /** The tables that its foreign keys lead to. */
  refersTo: string[]
  /** Whether its rows are those of a payment. */
  isOfPayment: boolean
  about: string
}

const TABLES = `
  select case n.nspname when 'kassa_audit' then 'kassa' else n.nspname end as schema,
    case n.nspname when 'kassa_audit' then 'audit_log' else c.relname end as name,
    (select array_agg(a.attname::text order by k.place) from pg_constraint p, unnest(p.conkey) with ordinality k (column_number, place)
     join pg_attribute a on a.attnum = k.column_number
     where p.conrelid = c.oid and p.contype = 'p' and a.attrelid = c.oid) as key,
    array(select distinct f.relname::text from pg_constraint k join pg_class f on f.oid = k.confrelid
     where k.conrelid = c.oid and k.contype = 'f' order by 1) as "refersTo",
    exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'payment_id') as "isOfPayment"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('kassa', 'kassa_audit', 'sandbox') and c.relkind = 'r'
  order by 1, 2`

/** Each world has the same tables, so those of the sandbox stand for both. */
export async function readSchema(db: Db): Promise<Table[]> {
  const { rows } = await db.query<Omit<Table, 'about'>>(TABLES)
  const lines = new Map([...describedTables('kassa'), ...describedTables('sandbox')])
  return rows.map((row) => ({ ...row, about: firstSentence(lines.get(row.name) ?? '') }))
}

const firstSentence = (line: string): string =>
  line
    .replaceAll('`', '')
    .replace(/\. .*$/, '')
    .replace(/\.$/, '')
