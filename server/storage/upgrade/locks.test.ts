/** Compares the table of locks with PostgreSQL's real locks and with the migrations of this build. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../../testing/database.ts'
import {
  blocksOf,
  locksOf,
  newTables,
  readDomains,
  type Step,
  stepsInTables,
} from '../../testing/releases/locks.ts'
import { makeNextRelease } from '../../testing/releases/next-release.ts'
import { migrationsBefore } from '../../testing/releases/release-file.ts'
import { connect, type Db, openDb } from '../db.ts'
import {
  isOlder,
  type Release,
  readMigration,
  readMigrations,
  SHARED,
  splitStatements,
  THIS_RELEASE,
} from './files.ts'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createEmptyDatabase(inject('postgresUrl'))
  db = openDb(database.url, { world: 'sandbox' })
  await db.query(`create schema s;
    create domain s.colour as text check (value in ('red', 'blue'));
    create domain s.size as text check (value in ('small', 'large'));
    alter domain s.size add constraint later check (value <> '') not valid;
    create table s.shop (id text primary key, name text, price integer not null default 1, size s.size);
    alter table s.shop add constraint cheap check (price < 100) not valid;
    create table s.sale (id text, shop text, size s.size, constraint sale_id unique (id));
    create function s.note() returns trigger language plpgsql as 'begin return new; end';
    create trigger noted before insert on s.shop for each row execute function s.note();
    create unique index sale_shop on s.sale (shop)`)
})
afterAll(async () => {
  await db.end()
  await database.drop()
})

/** Returns the locks that a statement has at its end, and the tables of which it has read all rows. A rewrite reads them too. */
async function observe(text: string): Promise<{ locks: string[]; scanned: string[] }> {
  const tx = await connect(db)
  try {
    await tx.query('begin')
    const { rows: tables } = await tx.query<{ oid: string; scans: number }>(
      `select oid, pg_stat_get_xact_numscans(oid)::int as scans from pg_class
       where oid in ('s.shop'::regclass, 's.sale'::regclass) order by relname`,
    )
    await tx.query(text)
    const oids = tables.map(({ oid }) => oid)
    const { rows } = await tx.query<{ lock: string }>(
      `select distinct case relation when $1::oid then 's.sale ' else 's.shop ' end || mode as lock from pg_locks
       where pid = pg_backend_pid() and relation in ($1::oid, $2::oid)
         and mode not in ('AccessShareLock', 'RowShareLock') order by 1`,
      oids,
    )
    const { rows: after } = await tx.query<{ scans: number }>(
      'select pg_stat_get_xact_numscans(oid)::int as scans from unnest($1::oid[]) as oid',
      [oids],
    )
    const scanned = ['s.sale', 's.shop'].filter((_, at) => after[at]?.scans !== tables[at]?.scans)
    return { locks: rows.map(({ lock }) => lock), scanned }
  } finally {
    await tx.query('rollback')
    tx.release()
  }
}

const STATEMENTS = [
  'create index shop_name on s.shop (name)',
  'create unique index shop_name on s.shop (name)',
  'create trigger again before insert on s.shop for each row execute function s.note()',
  'drop trigger noted on s.shop',
  "insert into s.shop (id) values ('1')",
  "update s.shop set name = 'x'",
  'delete from s.shop',
  'truncate table s.shop',
  'drop table s.sale',
  'alter table s.shop add column note text',
  "alter table s.shop add column note text not null default 'x'",
  'alter table s.shop add column sale text references s.sale (id)',
  "alter table s.shop add column note text default 'x', add column price_2 numeric(9, 2) default -1.5",
  'alter table s.shop add column at timestamptz not null default now()',
  'alter table s.shop add column at timestamptz not null default clock_timestamp()',
  'alter table s.shop add column if not exists token uuid default gen_random_uuid()',
  'alter table s.shop add column number serial',
  'alter table s.shop add column colour s.colour',
  "alter table s.shop add column note text default 'x', add column colour s.colour default 'red'",
  'alter table s.shop drop column name',
  'alter table s.shop rename column name to title',
  'alter table s.shop alter column name set not null',
  'alter table s.shop alter column price drop not null',
  'alter table s.shop alter column price set default 2',
  'alter table s.shop alter column price type bigint',
  'alter table s.shop add constraint named check (name is not null)',
  'alter table s.shop add constraint named check (name is not null) not valid',
  'alter table s.shop validate constraint cheap',
  'alter table s.shop drop constraint cheap',
  'alter table s.sale add constraint sold unique using index sale_shop',
  'alter table s.sale add foreign key (shop) references s.shop',
  'alter table s.sale add constraint of_shop foreign key (shop) references s.shop not valid',
  'alter table s.sale drop constraint sale_id, add primary key (id)',
  'alter table s.shop disable trigger noted',
  'alter table s.shop set (fillfactor = 80)',
  "alter domain s.size add constraint known check (value in ('small', 'large', 'huge'))",
  "alter domain s.size add check (value in ('small', 'large', 'huge'))",
  "alter domain s.size add constraint known check (value in ('small', 'large', 'huge')) not valid",
  'alter domain s.size validate constraint later',
  'alter domain s.size drop constraint later',
  'alter domain s.size drop constraint if exists size_check',
  "alter domain s.size set default 'small'",
  'alter domain s.size drop default',
  'alter domain s.size set not null',
  'alter domain s.size drop not null',
  'alter domain s.size rename constraint later to sooner',
  'alter domain s.size rename to extent',
  "alter domain s.colour add constraint known check (value in ('red', 'green'))",
  'create table s.gift (shop text references s.shop, sale text references s.sale (id))',
  'create function s.other() returns int language sql as $$ select 1; $$',
]

describe('the table of locks names the locks that PostgreSQL takes, and whether it reads all rows meanwhile', () => {
  test.each(STATEMENTS)('%s', async (statement) => {
    const domains = await readDomains(db)
    const known = locksOf(statement)
    expect(known).not.toBeNull()
    const steps = (known ?? []).flatMap((step) => stepsInTables(step, domains))
    const planned = [...new Set(steps.map(({ table, lock }) => `${table} ${lock}`))].sort()
    const { locks: observed, scanned } = await observe(statement)
    const slow = steps.filter(({ takes }) => takes !== 'a moment').map(({ table }) => table)
    // After a truncate PostgreSQL builds the indexes of an empty table, which it counts as reading.
    if (!statement.startsWith('truncate')) expect(slow).toEqual(expect.arrayContaining(scanned))
    // PostgreSQL may take a weaker lock on the way as well.
    expect(observed).toEqual(expect.arrayContaining(planned))
    const blocking = observed.filter((each) => blocksOf(each.split(' ')[1] as Step['lock']))
    expect(new Set(blocking.map((each) => each.split(' ')[0]))).toEqual(
      new Set(
        planned
          .filter((each) => blocksOf(each.split(' ')[1] as Step['lock']))
          .map((each) => each.split(' ')[0]),
      ),
    )
  })

  test('an unknown statement has no known locks', () => {
    expect(locksOf('cluster s.shop')).toBeNull()
    expect(locksOf('alter table s.shop inherit s.sale')).toBeNull()
  })
})

test('a migration is split only at the semicolons between its statements', () => {
  const text = `-- a; b\ninsert into s.a values ('x;''y', $1); /* c; */ create function s.f() returns int language sql as $body$ select 1; $body$;\nselect "a;b" - 1`
  expect(splitStatements(text)).toEqual([
    `insert into s.a values ('x;''y', $1)`,
    'create function s.f() returns int language sql as $body$ select 1; $body$',
    'select "a;b" - 1',
  ])
})

/** Returns the tables of earlier releases, and the domains, for which requests would wait while this release reads all rows. */
async function findSlowSteps(release: Release): Promise<string[]> {
  const texts = (
    await Promise.all(
      ([SHARED, 'sandbox'] as const).map(async (schema) => {
        const known = await migrationsBefore(release.version, schema)
        return (await readMigrations(schema, release)).filter(({ name }) => !known.has(name))
      }),
    )
  )
    .flat()
    .flatMap(({ text }) => splitStatements(text))
  const own = newTables(texts)
  return texts
    .flatMap((each) => locksOf(each) ?? [])
    .filter(({ table, lock, takes }) => blocksOf(lock) && takes !== 'a moment' && !own.includes(table))
    .map(({ table }) => table)
}

describe('the migrations of this build', () => {
  const all = async () =>
    (
      await Promise.all(([SHARED, 'sandbox'] as const).map((schema) => readMigrations(schema, THIS_RELEASE)))
    ).flat()

  test.each([SHARED, 'sandbox'] as const)(
    'of %s are numbered without a gap or a second use',
    async (schema) => {
      const numbers = (await readMigrations(schema, THIS_RELEASE)).map(({ name }) => Number(name.slice(0, 4)))
      expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    },
  )

  test('name the oldest version that can work with them, which is at most this version', async () => {
    for (const { oldestVersion } of await all())
      expect(isOlder(THIS_RELEASE.version, oldestVersion)).toBe(false)
  })

  test('say what they do', async () => {
    for (const { name, about } of await all())
      expect([name, about]).toEqual([name, expect.stringMatching(/^[A-Z].+\.$/s)])
  })

  test('consist of statements whose locks are known', async () => {
    for (const { name, text } of await all())
      expect([name, splitStatements(text).filter((each) => locksOf(each) === null)]).toEqual([name, []])
  })

  test('never make requests wait while rows are read, for tables that an earlier release created', async () => {
    expect(await findSlowSteps(THIS_RELEASE)).toEqual([])
  })

  test('would be found if they did, whatever oldest version they name', async () => {
    const header = '-- oldest version: 0.2.0\n'
    const release = await makeNextRelease('9.0.0', {
      'world/0900_slow.sql': `${header}create table world.gifts (note text);
        alter table world.gifts add check (note <> '');
        alter table world.products add check (name <> '');
        alter table world.payments add column currency_2 text;`,
      'world/0901_slower.sql': `${header}alter domain world.currency validate constraint currency_check;`,
    })
    expect(await findSlowSteps(release)).toEqual(['world.products', 'world.currency'])
    await release.remove()
  })

  test('a file is rejected without the oldest version, or with a concurrent index beside other statements', () => {
    expect(() => readMigration('0002_x.sql', 'select 1')).toThrow('needs a line such as "-- oldest version:')
    const mixed =
      '-- oldest version: 0.1.0\ncreate index concurrently if not exists a on s.b (c); update s.b set c = 1'
    expect(() => readMigration('0002_x.sql', mixed)).toThrow('may only build or drop indexes concurrently')
  })
})

test.each([
  ['0.1.0', '0.2.0', true],
  ['0.9.0', '0.10.0', true],
  ['1.0.0', '0.9.9', false],
  ['1.2.3', '1.2.3', false],
  ['1.0.0-rc.1', '1.0.0', false],
])('version %s is older than %s: %s', (one, other, expected) => {
  expect(isOlder(one, other)).toBe(expected)
})
