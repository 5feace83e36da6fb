/** What makes a database of tests one that can be emptied. A superuser runs it in the template. */

const SCHEMA = 'kassa_kept'

/** A test that changed a table, a function or a trigger leaves another number of rows in one of these, or a later row. */
const CATALOGUES = [
  'pg_class',
  'pg_attribute',
  'pg_attrdef',
  'pg_constraint',
  'pg_namespace',
  'pg_proc',
  'pg_statistic',
  'pg_trigger',
]

/** Rows that were removed keep their place. With more than this, every later test is slower. */
const BYTES_MAX = 16_000_000

const LAST_CHANGES = CATALOGUES.map(
  (name) => `(select count(*) || '.' || max(xmin::text::bigint) from pg_catalog.${name})`,
)

export const KEPT_SETUP = `
create schema ${SCHEMA};
grant usage on schema ${SCHEMA} to public;

create function ${SCHEMA}.describe_catalogue() returns text language sql as $$
  select concat_ws(' ', ${LAST_CHANGES.join(', ')})
$$;

create function ${SCHEMA}.list_used_tables() returns setof regclass language sql as $$
  select oid::regclass from pg_catalog.pg_class
  where relkind = 'r' and oid >= 16384 and relnamespace <> '${SCHEMA}'::regnamespace and pg_relation_size(oid) > 0
$$;

-- The rows that the migrations have written.
create table ${SCHEMA}.copies (original regclass, copy regclass);
do $$
declare
  original regclass;
  place int := 0;
begin
  for original in select * from ${SCHEMA}.list_used_tables() loop
    place := place + 1;
    execute format('create table ${SCHEMA}.copy_%s as table %s', place, original);
    insert into ${SCHEMA}.copies values (original, format('${SCHEMA}.copy_%s', place)::regclass);
  end loop;
end $$;
grant select on all tables in schema ${SCHEMA} to public;

-- Ends all other sessions than these, and removes what was stored since the migrations. Returns false, and removes nothing, if the
-- database cannot become like new.
create function ${SCHEMA}.empty(sessions int[]) returns boolean language plpgsql security definer
set search_path = pg_catalog, pg_temp
set session_replication_role = 'replica'
set enable_seqscan = on
as $$
declare
  original regclass;
  copy regclass;
  counter record;
begin
  perform pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> all (sessions);
  if ${SCHEMA}.describe_catalogue() <> (select catalogue from ${SCHEMA}.made)
    or (select sum(pg_relation_size(used)) from ${SCHEMA}.list_used_tables() as used) > ${BYTES_MAX} then
    return false;
  end if;
  for original in select * from ${SCHEMA}.list_used_tables() loop
    execute format('delete from %s', original);
  end loop;
  for original, copy in select * from ${SCHEMA}.copies loop
    execute format('insert into %s overriding system value table %s', original, copy);
  end loop;
  for counter in select schemaname, sequencename, start_value from pg_sequences where last_value is not null loop
    perform setval(format('%I.%I', counter.schemaname, counter.sequencename), counter.start_value, false);
  end loop;
  return true;
end $$;

create table ${SCHEMA}.made (catalogue text);
insert into ${SCHEMA}.made select ${SCHEMA}.describe_catalogue();
grant select on ${SCHEMA}.made to public;
`

export const EMPTY = `select ${SCHEMA}.empty($1) as is_empty`
