/**
 * The lock that each kind of statement takes on an existing table, according to PostgreSQL's documentation. A test compares each row
 * with PostgreSQL's real locks, and rejects migrations that make requests wait.
 */
import type { Db } from '../../storage/db.ts'

/** The locks by name, the weakest first. `blocks`: what other requests cannot do on the table meanwhile. */
const LOCKS = {
  RowExclusiveLock: { blocks: null },
  ShareUpdateExclusiveLock: { blocks: null },
  ShareLock: { blocks: 'writes' },
  ShareRowExclusiveLock: { blocks: 'writes' },
  AccessExclusiveLock: { blocks: 'reads and writes' },
} as const
export type Lock = keyof typeof LOCKS
const STRENGTH = Object.keys(LOCKS) as Lock[]

/**
 * `table`: for a statement about a domain the domain, because it locks every table that uses the domain. `takes`: how long the
 * statement holds the lock: a moment, until all rows are read, or until rows are written.
 */
export type Step = { table: string; lock: Lock; takes: 'a moment' | 'reading all rows' | 'writing rows' }
type Kind = { pattern: RegExp; lock: Lock; takes: Step['takes'] }

const TABLE = String.raw`(?:if exists )?(?:only )?(?<table>[a-z_]+\.[a-z_0-9]+)`
const kind = (pattern: string, lock: Lock, takes: Step['takes'] = 'a moment'): Kind => ({
  pattern: new RegExp(pattern.replace('TABLE', TABLE), 'i'),
  lock,
  takes,
})

/** The kinds of statements that concern a table. The first match counts. */
const STATEMENTS: readonly Kind[] = [
  kind('^create (unique )?index concurrently .*? on TABLE', 'ShareUpdateExclusiveLock', 'reading all rows'),
  kind('^create (unique )?index .*? on TABLE', 'ShareLock', 'reading all rows'),
  kind('^create (or replace )?(constraint )?trigger .*? on TABLE', 'ShareRowExclusiveLock'),
  kind('^drop trigger .*? on TABLE', 'AccessExclusiveLock'),
  kind('^drop table TABLE', 'AccessExclusiveLock'),
  kind('^(insert into|update|delete from) TABLE', 'RowExclusiveLock', 'writing rows'),
  kind('^truncate (table )?TABLE', 'AccessExclusiveLock'),
  kind(
    '^alter domain TABLE (add (?!.* not valid$)|validate constraint |set not null)',
    'ShareLock',
    'reading all rows',
  ),
]

const COLUMN = String.raw`add column (?:if not exists )?\w+`
/** A default that PostgreSQL computes once. It writes any other default into each row, so it rewrites the table. */
const CONSTANT = String.raw`(?:'[^']*'(?:::\w+)?|-?[\d.]+|true|false|null|now\(\)|current_timestamp)(?=,|$| not null| check)`

/** The actions of `alter table`. The statement takes the strongest lock of all actions that match. */
const ALTERATIONS: readonly Kind[] = [
  kind('validate constraint', 'ShareUpdateExclusiveLock', 'reading all rows'),
  kind('(enable|disable) trigger', 'ShareRowExclusiveLock'),
  kind('set \\((?!.*schema)', 'ShareUpdateExclusiveLock'),
  kind('add (constraint \\w+ )?foreign key .*not valid', 'ShareRowExclusiveLock'),
  kind('add (constraint \\w+ )?foreign key (?!.*not valid)', 'ShareRowExclusiveLock', 'reading all rows'),
  kind('add (constraint \\w+ )?check .*not valid', 'AccessExclusiveLock'),
  kind(
    'add (constraint \\w+ )?(check|unique|primary key|exclude)(?!.*not valid)(?!.*using index)',
    'AccessExclusiveLock',
    'reading all rows',
  ),
  kind('add (constraint \\w+ )?(unique|primary key) using index', 'AccessExclusiveLock'),
  kind(
    'add column .*(generated always as \\(|generated .* as identity| unique| primary key| references | check \\()',
    'AccessExclusiveLock',
    'reading all rows',
  ),
  kind(`${COLUMN}.* default (?!${CONSTANT})`, 'AccessExclusiveLock', 'reading all rows'),
  // A domain's check is computed for each row. Only domains and enums have a schema in front of their name.
  kind(`${COLUMN} (\\w+\\.\\w|(small|big)?serial)`, 'AccessExclusiveLock', 'reading all rows'),
  kind('add column', 'AccessExclusiveLock'),
  kind('alter (column )?\\w+ (set data )?type', 'AccessExclusiveLock', 'reading all rows'),
  kind('alter (column )?\\w+ set not null', 'AccessExclusiveLock', 'reading all rows'),
  kind('alter (column )?\\w+ (set|drop) default', 'AccessExclusiveLock'),
  kind('alter (column )?\\w+ drop not null', 'AccessExclusiveLock'),
  kind('drop (column|constraint)', 'AccessExclusiveLock'),
  kind('rename', 'AccessExclusiveLock'),
]
const ALTER = new RegExp(`^alter table ${TABLE} (?<what>.*)$`, 'is')

/** Statements that lock no table with rows. A check of a domain that is `not valid` counts for new values only. */
const HARMLESS =
  /^(create (or replace )?(function|procedure|sequence|type|domain|schema|view)|comment on|drop (function|sequence|type|view)|drop index concurrently|alter domain \S+ (add .* not valid(?= $)|drop (constraint|default|not null)|set default|rename)) /i
const NEW_TABLE = /^create table (?:if not exists )?([a-z_]+\.[a-z_0-9]+)/i
const REFERENCE = /\breferences ([a-z_]+\.[a-z_0-9]+)/gi

export const blocksOf = (lock: Lock) => LOCKS[lock].blocks

/** Returns the tables that these statements create. */
export function newTables(statements: readonly string[]): string[] {
  return statements.flatMap((each) => NEW_TABLE.exec(each)?.[1] ?? [])
}

/** Returns the locks that a statement takes, or null for an unknown kind of statement. */
export function locksOf(statement: string): Step[] | null {
  const text = statement.replaceAll(/\s+/g, ' ')
  if (HARMLESS.test(`${text} `)) return []
  const altered = ALTER.exec(text)?.groups
  const own = NEW_TABLE.test(text)
    ? []
    : altered
      ? alterationOf(altered.table ?? '', altered.what ?? '')
      : stepsOf(
          STATEMENTS.find(({ pattern }) => pattern.test(text)),
          text,
        )
  if (own === null) return null
  // A foreign key adds a trigger to the table that it references.
  const others = [...text.matchAll(REFERENCE)].map(([, table = '']) => table)
  return [
    ...own,
    ...[...new Set(others)].map(
      (table): Step => ({ table, lock: 'ShareRowExclusiveLock', takes: 'a moment' }),
    ),
  ]
}

function stepsOf(found: Kind | undefined, text: string): Step[] | null {
  const table = found?.pattern.exec(text)?.groups?.table
  return found && table ? [{ table, lock: found.lock, takes: found.takes }] : null
}

function alterationOf(table: string, what: string): Step[] | null {
  const found = ALTERATIONS.filter(({ pattern }) => pattern.test(what))
  const [strongest] = found.toSorted(
    (one, other) => STRENGTH.indexOf(other.lock) - STRENGTH.indexOf(one.lock),
  )
  if (!strongest) return null
  const takes = found.find((each) => each.takes !== 'a moment')?.takes ?? 'a moment'
  return [{ table, lock: strongest.lock, takes }]
}

/** Returns the same step for each table that it locks: those that use the domain, if it is about a domain. */
export function stepsInTables(step: Step, domains: ReadonlyMap<string, string[]>): Step[] {
  return (domains.get(step.table) ?? [step.table]).map((table) => ({ ...step, table }))
}

/** Returns the tables with a column of each domain. A domain that no table uses has none. */
export async function readDomains(client: Pick<Db, 'query'>): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ domain: string; tables: string[] }>(
    `select d.nspname || '.' || t.typname as domain,
       array(select distinct n.nspname || '.' || c.relname from pg_attribute a join pg_class c on c.oid = a.attrelid
         join pg_namespace n on n.oid = c.relnamespace
         where a.atttypid = t.oid and not a.attisdropped and c.relkind in ('r', 'p') order by 1) as tables
     from pg_type t join pg_namespace d on d.oid = t.typnamespace where t.typtype = 'd'`,
  )
  return new Map(rows.map(({ domain, tables }) => [domain, tables]))
}
