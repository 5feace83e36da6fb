/** The guide to the columns of the database, written from a real database. Each world has the same tables, so one is listed. */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Db } from '../../storage/db.ts'

type Column = {
  schema: string
  table: string
  name: string
  type: string
  needed: boolean
  key: boolean
  refersTo: string | null
}

const COLUMNS = `
  select case n.nspname when 'kassa_audit' then 'kassa' else n.nspname end as schema,
    case n.nspname when 'kassa_audit' then 'audit_log' else c.relname end as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
    a.attnotnull as needed,
    exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'p' and a.attnum = any (k.conkey)) as key,
    (select f.relname from pg_constraint k join pg_class f on f.oid = k.confrelid
     where k.conrelid = c.oid and k.contype = 'f' and a.attnum = any (k.conkey) and a.attname <> 'merchant_id' or
       k.conrelid = c.oid and k.contype = 'f' and k.conkey = array[a.attnum] limit 1) as "refersTo"
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('kassa', 'kassa_audit', 'sandbox') and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
  order by 1, 2, a.attnum`

const SHORT: Record<string, string> = {
  'timestamp with time zone': 'time',
  'timestamp(3) with time zone': 'time',
  boolean: 'bool',
  integer: 'int',
  smallint: 'int',
}

const HEAD = `# Tables and columns

<!-- Written by "npm run generate -- tables" from a real database. -->

What each table is for stands in [How it is built](../README.md#the-tables). What a column means stands beside it in \`server/storage/migrations\`. A key is **bold**. \`?\` means that a column may be null, and \`->\` names the table that a foreign key leads to.
`

const FOOT = '\n<!-- keywords: schema, database, columns, sql, erd, foreign key, primary key -->\n'

/** Returns the guide. */
export async function writeTables(db: Db): Promise<string> {
  const { rows } = await db.query<Column>(COLUMNS)
  const chapters = ['kassa', 'sandbox'].map((schema) => {
    const tables = Map.groupBy(
      rows.filter((row) => row.schema === schema),
      ({ table }) => table,
    )
    const lines = [...tables].map(([table, columns]) => `| \`${table}\` | ${columns.map(shown).join(', ')} |`)
    const title = schema === 'kassa' ? 'Schema `kassa`' : 'Schemas `sandbox` and `live`'
    return `\n## ${title}\n\n| Table | Columns |\n|---|---|\n${lines.join('\n')}\n`
  })
  return HEAD + chapters.join('') + diagramOf(rows) + FOOT
}

/** Returns the foreign keys as a Mermaid diagram, without those of `merchants`, to which nearly every table leads. */
function diagramOf(rows: Column[]): string {
  const keys = rows.flatMap(({ table, refersTo }) =>
    refersTo && refersTo !== 'merchants' ? [`  ${refersTo} ||--o{ ${table} : ""`] : [],
  )
  const lines = [...new Set(keys)].sort().join('\n')
  return `\n## Foreign keys\n\nKeys that lead to \`merchants\` are left out, because nearly every table has one.\n\n\`\`\`mermaid\nerDiagram\n${lines}\n\`\`\`\n`
}

function shown({ name, type, needed, key, refersTo }: Column): string {
  const plain = type.replace(/^sandbox\./, '')
  const about = `${SHORT[plain] ?? plain}${needed ? '' : '?'}${refersTo ? ` -> ${refersTo}` : ''}`
  return `${key ? `**${name}**` : name} ${about}`
}

const README = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8')

/** Returns the tables that the README lists under a heading that names this schema, with the line for each. */
export function describedTables(schema: string): Map<string, string> {
  const chapter = README.split('## The tables')[1]?.split('\n## ')[0] ?? ''
  const [, rows = ''] =
    chapter
      .split(/^\| Schema /m)
      .find((part) => part.startsWith(`\`${schema}\``))
      ?.split('|---|---|') ?? []
  return new Map(
    [...rows.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, name = '', line = '']) => [name, line]),
  )
}
