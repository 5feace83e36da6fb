-- oldest version: 0.2.0
-- The sandbox's own: the simulated bank's and register's books, and the clock.
-- They are in both worlds, so that both have the same tables; in the live world they stay empty.

-- The simulated bank's own books. It is a provider: nothing of Kassa's reads them but through its driver.
create table world.sandbox_orders (
  reference text primary key,
  body jsonb not null,
  -- when something next happens to the order by itself
  due_at timestamptz
);
create index sandbox_orders_due on world.sandbox_orders (due_at) where due_at is not null;

create table world.sandbox_callbacks (
  reference text not null,
  -- counted for each order, from 1
  number integer not null,
  url text not null,
  body text not null,
  -- null when it has been taken, or given up
  due_at timestamptz,
  attempts integer not null default 0,
  -- the last answer; null where there was none
  status_code integer,
  primary key (reference, number)
);
create index sandbox_callbacks_due on world.sandbox_callbacks (due_at) where due_at is not null;

-- The simulated bank's saved cards, with their statements.
create table world.sandbox_cards (
  reference text primary key,
  body jsonb not null
);

-- The simulated cash register's own books: every command that it took, and the receipt's number where it printed one.
create table world.sandbox_receipts (
  register text not null,
  sequence bigint not null,
  number bigint,
  reference text not null,
  body jsonb not null,
  primary key (register, sequence),
  unique (register, number)
);
create index sandbox_receipts_by_reference on world.sandbox_receipts (reference);

-- The sandbox's clock: how far ahead of real time it is. One row, in sandbox mode's databases as in all others.
create table world.sandbox_clock (
  single_row boolean primary key default true check (single_row),
  offset_ms bigint not null default 0 check (offset_ms between 0 and 315360000000),
  -- Who is moving it, and until when (in real time) the workers pause for that.
  -- If that process dies, they continue after this time.
  moved_by text,
  workers_paused_until timestamptz,
  -- Until when (in real time) a process counts as doing live work, beside which the sandbox takes a small share.
  live_busy_until timestamptz
);
insert into world.sandbox_clock default values;

-- The workers of sandbox mode. seen_at is real time: one that has not been seen for a while is dead.
create table world.sandbox_workers (
  id text primary key,
  paused boolean not null,
  seen_at timestamptz not null
);
