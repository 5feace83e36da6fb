-- oldest version: 0.2.0
-- Which keys of stored secrets each running process knows. A rotation must not seal anything under a key that a process lacks.

-- A service that runs, or a `secrets rotate`. A row that was not seen for a while belongs to a process that has died.
create table kassa.processes (
  id text primary key,
  -- that of its connections in pg_stat_activity: host and number of the process
  name text not null,
  -- the ids of its keys. It seals new secrets under the first of them.
  key_ids text[] not null check (cardinality(key_ids) > 0),
  -- true for `secrets rotate`, which seals everything under its first key. The row of a rotation that has ended stays until the next one.
  rotates boolean not null,
  -- by the clock of the database
  seen_at timestamptz not null default clock_timestamp()
);
