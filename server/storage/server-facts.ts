/** What a start asks of the PostgreSQL server: its clock, and its room for connections. */
import { APPLICATION, type Queryable, statement } from './db.ts'

const clock = statement<{ ms: number }>(
  'read_database_clock',
  'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
)
// Of other roles' connections only the database and the role can be seen. Slots that are kept for superusers do not count.
const room = statement<{ free: number; own: number }>(
  'measure_room',
  `with activity as (select * from pg_stat_activity where datid is not null)
   select (select count(*) from activity where application_name = $1)::int as own,
     least(
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true)::int, 0) - (select count(*) from activity),
       (select rolconnlimit - (select count(*) from activity where usesysid = r.oid)
        from pg_roles r where rolname = current_user and rolconnlimit >= 0),
       (select datconnlimit - (select count(*) from activity where datid = d.oid)
        from pg_database d where datname = current_database() and datconnlimit >= 0)
     )::int as free`,
)

/** Returns the time of the database server in milliseconds. */
export async function readDatabaseClock(db: Queryable): Promise<number> {
  return (await clock(db, []))[0]?.ms ?? 0
}

/** `free`: how many more connections the server accepts from this role. `own`: how many this process has already. */
export async function measureRoom(db: Queryable): Promise<{ free: number; own: number }> {
  return (await room(db, [APPLICATION]))[0] ?? { free: 0, own: 0 }
}
