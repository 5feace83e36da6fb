-- oldest version: 0.2.0
-- What both worlds share. It runs in real time, and no foreign key leads out of it.

create table kassa.merchants (
  id text primary key,
  name text not null check (char_length(name) between 1 and 120),
  -- how hosted pages show the merchant: merchants/branding.ts has the names
  branding jsonb not null default '{}' check (jsonb_typeof(branding) = 'object' and octet_length(branding::text) <= 8192),
  created_at timestamptz not null
);

-- Logos and pictures of products, as this service has encoded them. The id is a digest of the bytes, so an address always
-- shows the same picture.
create table kassa.pictures (
  id text primary key check (id ~ '^[0-9a-f]{40}$'),
  type text not null check (type in ('image/png', 'image/webp')),
  bytes bytea not null check (octet_length(bytes) between 1 and 1048576),
  created_at timestamptz not null
);

-- Origins that a merchant's calls to /v1 may carry.
create table kassa.origins (
  merchant_id text not null references kassa.merchants,
  origin text not null,
  created_at timestamptz not null,
  primary key (merchant_id, origin)
);

-- Origins whose domain an operator has reviewed. A live public key is issued only for such origins.
create table kassa.domain_reviews (
  merchant_id text not null references kassa.merchants,
  origin text not null,
  approved_at timestamptz not null,
  primary key (merchant_id, origin)
);

-- What a merchant has shown before it gets access to real money: the step, and what was seen.
create table kassa.onboarding_evidence (
  merchant_id text not null references kassa.merchants,
  step text not null check (step in ('callback_verified', 'test_payment')),
  -- the live callback URL that passed its checks, or the test payment of the sandbox
  evidence text not null,
  recorded_at timestamptz not null,
  primary key (merchant_id, step)
);

-- A move of everything in this database to another one. The service continues until `fenced_at`. From then on this database
-- refuses every write.
create table kassa.moves (
  id uuid primary key,
  -- the host and the name of the other database
  target text not null,
  started_at timestamptz not null,
  fenced_at timestamptz,
  -- null while the move runs, and after a move that was interrupted
  finished_at timestamptz
);

-- A move into this database that has not ended. This database refuses every write until the end of the move.
create table kassa.incoming_moves (
  -- the id of the move in the other database
  move_id uuid primary key,
  started_at timestamptz not null
);

-- The trigger of every table of a database that must not be written. Its argument is the reason.
create function kassa.refuse_write() returns trigger language plpgsql as $$
begin
  raise exception '%', tg_argv[0] using errcode = 'KM001';
end $$;

-- The trigger of every table while a move copies it: notes the keys of the rows that were written. Its arguments are the table
-- of the notes and the columns of the key. The tables of the notes belong to whoever runs the move.
create function kassa.note_written() returns trigger language plpgsql security definer as $$
begin
  if tg_op = 'INSERT' then
    execute format('insert into %s select %s from written', tg_argv[0], tg_argv[1]);
  elsif tg_op = 'DELETE' then
    execute format('insert into %s select %s from gone', tg_argv[0], tg_argv[1]);
  else
    execute format('insert into %1$s select %2$s from written union select %2$s from gone', tg_argv[0], tg_argv[1]);
  end if;
  return null;
end $$;

-- The backups that were completed, for whoever watches their age. The rows stay when the files are deleted.
create table kassa.backups (
  made_at timestamptz primary key,
  directory text not null
);

-- The widget's versions as they were first served. Pages pin one by its hash and stay as they are for years, whatever is
-- built, or thrown away, where the service runs.
create table kassa.widget_releases (
  version text primary key,
  script bytea not null,
  brotli bytea not null,
  gzip bytea not null,
  released_at timestamptz not null
);
