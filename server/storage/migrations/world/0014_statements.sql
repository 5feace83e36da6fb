-- oldest version: 0.2.0
-- Statements of providers and banks, line by line, and how they differ from the entries. No text of a buyer is stored.

-- How the columns of an account's statements are read. reports/statement-format.ts has the shape.
create table world.statement_formats (
  account_id text primary key references world.accounts,
  format jsonb not null check (jsonb_typeof(format) = 'object' and octet_length(format::text) <= 8192),
  changed_at timestamptz not null
);

create table world.statements (
  account_id text not null references world.accounts,
  -- SHA-256 of the file's bytes
  digest text not null,
  lines integer not null check (lines >= 0),
  -- the time of the first and the last line
  from_at timestamptz not null,
  until_at timestamptz not null,
  created_at timestamptz not null,
  primary key (account_id, digest),
  check (from_at <= until_at)
);

create table world.statement_lines (
  account_id text not null references world.accounts,
  -- the provider's own id of the line, else a digest of the line and its number among equal lines
  line_id text not null,
  at timestamptz not null,
  kind text not null check (kind in ('taken', 'returned', 'disputed', 'fee', 'payout', 'other')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- of money that was taken: positive if it came. Of all other kinds: positive if it went away
  amount_minor bigint not null,
  -- what the provider kept of it
  fee_minor bigint not null default 0,
  fee_currency text not null check (fee_currency ~ '^[A-Z]{3}$'),
  -- what may name an order of ours, and what may name a movement at the provider
  order_names text[] not null,
  movement_names text[] not null,
  payout_id text,
  -- the attempt that it belongs to; null while it is not known here
  merchant_id text,
  payment_id text,
  attempt integer,
  primary key (account_id, line_id),
  check (num_nulls(merchant_id, payment_id, attempt) in (0, 3))
);
create index statement_lines_by_time on world.statement_lines (account_id, at, line_id);
create index statement_lines_of_attempt on world.statement_lines (merchant_id, payment_id, attempt) where payment_id is not null;
create index statement_lines_unknown on world.statement_lines (account_id, at)
  where payment_id is null and kind in ('taken', 'returned', 'disputed');

-- Each difference, until a statement or a person settles it.
create table world.statement_findings (
  account_id text not null references world.accounts,
  -- follows from what it is about, so the same difference is found once
  id text not null,
  kind text not null check (kind in ('missing_here', 'missing_there', 'differing')),
  side text not null check (side in ('taken', 'returned', 'disputed')),
  line_id text,
  merchant_id text,
  payment_id text,
  attempt integer,
  ours_minor bigint not null,
  theirs_minor bigint not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  their_currency text not null check (their_currency ~ '^[A-Z]{3}$'),
  found_at timestamptz not null,
  closed_at timestamptz,
  -- null where a statement settled it
  closed_by text,
  why text,
  primary key (account_id, id)
);
create index statement_findings_open on world.statement_findings (account_id, found_at, id) where closed_at is null;
create index statement_findings_of_attempt on world.statement_findings (merchant_id, payment_id, attempt) where closed_at is null;
