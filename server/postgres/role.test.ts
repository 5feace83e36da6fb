import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDb } from '../storage/db.ts'
import { migrate } from '../storage/migrate.ts'
import { type EmbeddedPostgres, startEmbedded } from './embedded.ts'

let dataDir = ''
let first: EmbeddedPostgres

/** The tests change one server and start it again. initdb and another server for each would take a second. */
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kassa-role-'))
  await chmod(dataDir, 0o755)
  first = await startEmbedded({ dataDir })
})
afterAll(async () => {
  await first.stop()
  await rm(dataDir, { recursive: true, force: true })
})

test('the service uses a role that is not a superuser and can neither read files nor start programs', async () => {
  const [role] = await query(
    first.url,
    `select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
         pg_has_role(current_user, 'pg_read_server_files', 'member') as reads,
         pg_has_role(current_user, 'pg_execute_server_program', 'member') as executes
       from pg_roles where rolname = current_user`,
  )
  expect(role).toEqual({
    rolsuper: false,
    rolcreatedb: false,
    rolcreaterole: false,
    rolreplication: false,
    rolbypassrls: false,
    reads: false,
    executes: false,
  })
  for (const attack of [
    "select pg_read_file('kassa.password')",
    "select pg_ls_dir('.')",
    "copy (select 1) to program 'true'",
    "copy (select 1) to '/tmp/kassa-written'",
    'select rolpassword from pg_authid',
    "alter system set fsync = 'off'",
    'set role kassa',
    'alter role kassa_service superuser',
    'create database another',
  ])
    await expect(query(first.url, attack), attack).rejects.toMatchObject({ code: '42501' })
})

test('a database of the superuser gets the service’s role as owner, also by two starts at the same time', {
  tags: ['long'],
}, async () => {
  // The state of an earlier build: the superuser owns the database and everything in it.
  const superuser = await superuserUrl(dataDir, first.url)
  await query(superuser, 'alter database kassa owner to kassa')
  const before = openDb(superuser, { world: 'sandbox' })
  await migrate(before, ['sandbox', 'live'])
  await before.end()
  await query(
    superuser,
    `create type public.mood as enum ('kept');
       create table public.note (id serial, mood public.mood default 'kept');
       create view public.notes as select * from public.note;
       create sequence public.free`,
  )
  await expect(query(first.url, 'insert into public.note default values')).rejects.toMatchObject({
    code: '42501',
  })
  const both = await Promise.all([startEmbedded({ dataDir }), startEmbedded({ dataDir })])
  expect(await query(first.url, OF_OTHERS)).toEqual([])
  await query(first.url, "insert into public.note default values; select nextval('public.free')")
  await query(first.url, 'drop table public.note cascade; create schema more')
  // The role can run the migrations, and finds that they are applied.
  const db = openDb(first.url, { world: 'sandbox' })
  expect(await migrate(db, ['sandbox', 'live'])).toEqual([])
  await db.query('alter table sandbox.payments add column later text')
  await db.end()
  for (const server of both) await server.stop()
})

test('a start sets the attributes and the password of the role again', { tags: ['long'] }, async () => {
  await query(await superuserUrl(dataDir, first.url), "alter role kassa_service superuser password 'another'")
  const second = await startEmbedded({ dataDir })
  expect(second.url).toBe(first.url)
  expect(await query(second.url, 'select rolsuper from pg_roles where rolname = current_user')).toEqual([
    { rolsuper: false },
  ])
  await second.stop()
})

/** Finds everything that the superuser owns in this database, except for objects of the system and its extension. */
const OF_OTHERS = `
  select relname as name from pg_class c join pg_namespace n on n.oid = relnamespace
    where c.oid >= 16384 and nspname !~ '^pg_' and relowner <> current_user::regrole
  union all select proname from pg_proc where oid >= 16384 and proowner <> current_user::regrole
  union all select typname from pg_type t join pg_namespace n on n.oid = typnamespace
    where t.oid >= 16384 and nspname !~ '^pg_' and typowner <> current_user::regrole
  union all select nspname from pg_namespace
    where oid >= 16384 and nspname !~ '^pg_' and nspowner <> current_user::regrole
  union all select datname from pg_database
    where datname = current_database() and datdba <> current_user::regrole`

async function superuserUrl(dataDir: string, url: string): Promise<string> {
  const address = new URL(url)
  address.username = 'kassa'
  address.password = (await readFile(join(dataDir, 'postgres', 'kassa.password'), 'utf8')).trim()
  return address.href
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
