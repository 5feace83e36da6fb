-- oldest version: 0.2.0
-- How far the worker has thrown away what is older than its retention, for tables without an index by time.

create table world.pruned (
  name text primary key check (name in ('payment_changes')),
  -- the id of the last payment; ids sort by time
  position text not null
);
