// The database role of the service. The cluster's first user is always a superuser, who may read the server's files and start
// programs. So the first user only sets things up. It creates an ordinary role, which owns Kassa's database and everything in
// it. The service and the operator's commands never connect as the superuser.

import { createHmac } from 'node:crypto'
import { join, resolve } from 'node:path'
import { Client } from 'pg'
import { readPassword, SUPERUSER } from './cluster.ts'

export const DATABASE = 'kassa'
const SERVICE_ROLE = 'kassa_service'
const SETUP_LOCK = '5276412'

/**
 * Returns the password of the service's role. It is derived from the superuser's password. So two processes that start at the same
 * time set the same password, and no second file is needed.
 */
function servicePassword(superuserPassword: string): string {
  return createHmac('sha256', superuserPassword).update(SERVICE_ROLE).digest('hex')
}

export function serviceUrl(superuserPassword: string, port: number): string {
  return `postgres://${SERVICE_ROLE}:${servicePassword(superuserPassword)}@127.0.0.1:${port}/${DATABASE}?sslmode=disable`
}

/**
 * Creates the role and the database if they are missing, and makes the role the owner of everything that the superuser owns in the
 * database. The superuser owns things in a data directory of an earlier build, and after it has restored a backup. `client` is the
 * superuser's connection to the database `postgres`. `openKassa` opens another connection to Kassa's database.
 */
export async function ensureServiceRole(
  client: Client,
  superuserPassword: string,
  openKassa: () => Promise<Client>,
): Promise<void> {
  // Without the lock, two processes that change the same role or database at once could fail.
  await client.query(`select pg_advisory_lock(${SETUP_LOCK})`)
  await ensureRole(client, servicePassword(superuserPassword))
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
  if (!rowCount) await client.query(`create database ${DATABASE} owner ${SERVICE_ROLE}`)
  else await handOver(await openKassa())
  await client.query(`select pg_advisory_unlock(${SETUP_LOCK})`)
}

/** Sets the attributes and the password at each start, so that changes by others are undone. */
async function ensureRole(client: Client, password: string): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [SERVICE_ROLE])
  await client.query(
    `${rowCount ? 'alter' : 'create'} role ${SERVICE_ROLE}
     login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${password}'`,
  )
}

/**
 * Lists everything that needs the new owner. REASSIGN OWNED would fail, because the system itself needs objects of the first user.
 * Objects with ids below 16384 belong to the system.
 */
const LIST_CHANGES = `
  with own_relation as (
    select c.oid, c.relkind from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relowner = current_user::regrole and c.oid >= 16384 and n.nspname !~ '^pg_'
      -- The sequence of a column goes with its table, and the objects of an extension stay with it.
      and not exists (select from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid
          and (d.deptype = 'e' or (c.relkind = 'S' and d.deptype in ('a', 'i'))))
  ), change as (
    select format('database %I', datname) as what from pg_database
      where datname = current_database() and datdba = current_user::regrole
    union all
    select format('schema %I', nspname) from pg_namespace
      where nspowner = current_user::regrole and oid >= 16384 and nspname !~ '^pg_'
    union all
    select format('%s %s', kind, own_relation.oid::regclass) from own_relation join (values
      ('r', 'table'), ('p', 'table'), ('v', 'view'), ('m', 'materialized view'), ('S', 'sequence'), ('c', 'type'))
      as kinds (relkind, kind) on kinds.relkind = own_relation.relkind::text
    union all
    select format('routine %s', oid::regprocedure) from pg_proc p
      where proowner = current_user::regrole and oid >= 16384
        -- It works only as the superuser's.
        and proname <> 'kassa_guard_audit'
        and not exists (select from pg_depend d
          where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    union all
    select format('type %s', oid::regtype) from pg_type t
      where typowner = current_user::regrole and oid >= 16384 and typtype in ('e', 'd', 'r')
        and not exists (select from pg_depend d
          where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')
  )
  select what from change`

async function handOver(client: Client): Promise<void> {
  try {
    const { rows } = await client.query<{ what: string }>(LIST_CHANGES)
    // Statements of one message are one transaction. So after a crash either everything or nothing has the new owner.
    if (rows.length > 0)
      await client.query(rows.map(({ what }) => `alter ${what} owner to ${SERVICE_ROLE}`).join(';\n'))
  } finally {
    await client.end()
  }
}

/** Lets the service's role create databases. For tests and benchmarks, which run several services on one server. */
export async function allowDatabases(dataDir: string, url: string): Promise<void> {
  await runAsSuperuser(dataDir, url, `alter role ${SERVICE_ROLE} createdb`)
}

/** Runs statements as the superuser, in the database of `url`, in one transaction. */
export async function runAsSuperuser(dataDir: string, url: string, statements: string): Promise<void> {
  const address = new URL(url)
  address.username = SUPERUSER
  address.password = await readPassword({ pgData: join(resolve(dataDir), 'postgres') })
  const client = new Client({ connectionString: address.href })
  await client.connect()
  try {
    // Without the lock, two processes that change the same role at once could fail.
    await client.query(`select pg_advisory_lock(${SETUP_LOCK})`)
    await client.query(statements)
  } finally {
    await client.end()
  }
}
