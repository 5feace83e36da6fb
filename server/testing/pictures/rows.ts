/** The types of rows and the lists of words, written from a real database. Each world has the same tables, so one is read. */
import type { Db } from '../../storage/db.ts'

type Column = { table: string; name: string; type: string; base: string; needed: boolean }

const COLUMNS = `
  select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
    format_type(coalesce(nullif(t.typbasetype, 0), t.oid), null) as base, a.attnotnull or t.typnotnull as needed
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    join pg_type t on t.oid = a.atttypid
  where n.nspname in ('kassa', 'kassa_audit', 'sandbox') and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`

/** By domain, or by table and column. */
const LISTS = `
  select coalesce(t.typname, c.relname || '.' || a.attname) as name, pg_get_constraintdef(r.oid) as rule
  from pg_constraint r join pg_namespace n on n.oid = r.connamespace
    left join pg_type t on t.oid = r.contypid
    left join pg_class c on c.oid = r.conrelid
    left join pg_attribute a on a.attrelid = r.conrelid and a.attnum = r.conkey[1]
  where n.nspname = any ($1) and r.contype = 'c' and pg_get_constraintdef(r.oid) ~ '^CHECK \\(\\(\\w+ = ANY '
  order by 1`

/** What `pg` makes of each type. The domains are those that the contract has a type for. */
const TYPES: Record<string, string> = {
  bigint: 'number',
  'bigint[]': 'string[]',
  int8multirange: 'string',
  boolean: 'boolean',
  bytea: 'Buffer',
  currency: 'CurrencyCode',
  date: 'Date',
  'double precision': 'number',
  integer: 'number',
  jsonb: 'unknown',
  locale: 'Language',
  smallint: 'number',
  text: 'string',
  'text[]': 'string[]',
  'timestamp with time zone': 'Date',
  tsvector: 'string',
  uuid: 'string',
}

/** What the contract has a type for, by the type and the name of the column. */
const CONTRACT: Record<string, string> = {
  'jsonb card': 'SavedCard',
  'jsonb customer': 'Customer',
  'jsonb metadata': 'Metadata',
  'text provider': 'ProviderRoute',
  'text route': 'ProviderRoute',
  'text[] currencies': 'CurrencyCode[]',
}

/** Columns without a check that have words of another list. Where a status moved, a trigger knows the words. */
const SAME_WORDS: Record<string, string> = {
  'events.status': 'payment_status',
  'operation_changes.from_status': 'operations.status',
  'operation_changes.to_status': 'operations.status',
  'order_changes.status': 'payment_status',
  'order_changes.to_way': 'orders.way',
  'order_payments.status': 'payment_status',
  'payment_changes.from_status': 'payment_status',
  'payment_changes.to_status': 'payment_status',
  'receipt_changes.from_status': 'receipts.status',
  'receipt_changes.to_status': 'receipts.status',
}

/** Returns the words of each check that is a list, in the order of its migration. */
export async function readLists(db: Db, schemas: string[]): Promise<Map<string, string[]>> {
  const { rows } = await db.query<{ name: string; rule: string }>(LISTS, [schemas])
  return new Map(
    rows.map(({ name, rule }) => [name, [...rule.matchAll(/'([^']+)'/g)].map(([, word = '']) => word)]),
  )
}

const fieldOf = (column: string) => column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const quoted = (name: string) => (/^\w+$/.test(name) ? name : `'${name}'`)

/** Returns the text of `storage/rows.ts`. */
export async function writeRows(db: Db): Promise<string> {
  const lists = await readLists(db, ['kassa', 'kassa_audit', 'sandbox'])
  const { rows } = await db.query<Column>(COLUMNS)
  // The contract lists the currencies.
  lists.delete('currency')
  const typeOf = ({ table, name, type, base, needed }: Column): string => {
    const plain = type.replace(/^sandbox\./, '')
    const own = `${table}.${name}`
    const list = SAME_WORDS[own] ?? [own, plain].find((each) => lists.has(each))
    const found = list ? `Word<'${list}'>` : (CONTRACT[`${plain} ${name}`] ?? TYPES[plain] ?? TYPES[base])
    if (!found) throw new Error(`What does pg make of ${type}, the type of ${table}.${name}?`)
    return needed || found === 'unknown' ? found : `${found} | null`
  }
  const tables = Map.groupBy(rows, ({ table }) => table)
  return [
    '/** Written by `npm run generate -- tables` from a migrated database: the rows as `pg` returns them, and the words that it accepts. */',
    "import type { CurrencyCode, Customer, Metadata, ProviderRoute } from '../contract/fields.ts'",
    "import type { Language } from '../contract/languages.ts'",
    "import type { SavedCard } from '../contract/payment-method-token.ts'",
    '',
    '/** By domain, or by table and column. */',
    'export const WORDS = {',
    ...[...lists].map(
      ([name, list]) => `  ${quoted(name)}: [${list.map((word) => `'${word}'`).join(', ')}],`,
    ),
    '} as const',
    'export type Word<Name extends keyof typeof WORDS> = (typeof WORDS)[Name][number]',
    '',
    'export type Rows = {',
    ...[...tables].flatMap(([table, columns]) => [
      `  ${table}: {`,
      ...columns.map((each) => `    ${fieldOf(each.name)}: ${typeOf(each)}`),
      '  }',
    ]),
    '}',
    '',
  ].join('\n')
}
