import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDb } from '../storage/db.ts'
import { migrate } from '../storage/migrate.ts'
import { startEmbedded } from './embedded.ts'

const TEST_LIMIT_MS = 60_000
let template = ''
const dirs: string[] = []

beforeAll(async () => {
  template = await freshDir()
  const server = await startEmbedded({ dataDir: template })
  await server.stop()
}, TEST_LIMIT_MS)

afterAll(async () => {
  for (const dir of dirs) await rm(dir, { recursive: true, force: true })
})

test(
  'the service uses a role that is not a superuser and can neither read files nor start programs',
  async () => {
    const server = await startEmbedded({ dataDir: await copyTemplate() })
    const [role] = await query(
      server.url,
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
      await expect(query(server.url, attack), attack).rejects.toMatchObject({ code: '42501' })
    await server.stop()
  },
  TEST_LIMIT_MS,
)

test(
  'a database of the superuser gets the service’s role as owner, also by two starts at the same time',
  async () => {
    const dataDir = await copyTemplate()
    const first = await startEmbedded({ dataDir })
    // The state of an earlier build: the superuser owns the database and everything in it.
    const superuser = await superuserUrl(dataDir, first.url)
    await query(
      superuser,
      `alter database kassa owner to kassa;
       create type public.mood as enum ('kept');
       create table public.note (id serial, mood public.mood default 'kept');
       create view public.notes as select * from public.note;
       create sequence public.free`,
    )
    const before = openDb(superuser, { world: 'sandbox' })
    await migrate(before, ['sandbox', 'live'])
    await before.end()
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
    for (const server of [first, ...both]) await server.stop()
  },
  TEST_LIMIT_MS,
)

test(
  'a start sets the attributes and the password of the role again',
  async () => {
    const dataDir = await copyTemplate()
    const first = await startEmbedded({ dataDir })
    await query(
      await superuserUrl(dataDir, first.url),
      "alter role kassa_service superuser password 'another'",
    )
    const second = await startEmbedded({ dataDir })
    expect(second.url).toBe(first.url)
    expect(await query(second.url, 'select rolsuper from pg_roles where rolname = current_user')).toEqual([
      { rolsuper: false },
    ])
    for (const server of [first, second]) await server.stop()
  },
  TEST_LIMIT_MS,
)

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

async function freshDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'kassa-role-'))
  await chmod(dir, 0o755)
  dirs.push(dir)
  return dir
}

async function copyTemplate(): Promise<string> {
  const dir = await freshDir()
  await promisify(execFile)('cp', ['-a', `${template}/.`, dir])
  return dir
}
