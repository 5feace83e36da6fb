-- The sandbox's clock: how far ahead of real time it is. One row, in sandbox mode's databases as in all others.
create table sandbox_clock (
  one boolean primary key default true check (one),
  offset_ms bigint not null default 0 check (offset_ms between 0 and 315360000000),
  -- Who is moving it, and until when (in real time) the workers stand still for that: a mover that died holds nobody up.
  mover text,
  held_until timestamptz
);
insert into sandbox_clock default values;

-- The workers of sandbox mode. seen_at is real time: one that has not been seen for a while is dead.
create table sandbox_workers (
  id text primary key,
  standing boolean not null,
  seen_at timestamptz not null
);

-- What a provider said that does not fit a payment, and moved nothing. Each thing is noted once, however often it is said.
create table payment_warnings (
  merchant_id text not null,
  payment_id text not null,
  detail text not null,
  created_at timestamptz not null,
  primary key (merchant_id, payment_id, detail)
);

create index payments_by_status on payments (status, id) where status in ('status_unknown', 'disputed', 'authorized');
