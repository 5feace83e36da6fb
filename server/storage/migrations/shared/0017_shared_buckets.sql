-- oldest version: 0.2.0
-- Counts of tries that all processes share, and a trace of sign-ins for addresses that nobody has.

-- A bucket of a rate limit that is not full. A full one needs no row.
create table kassa.shared_buckets (
  -- SHA-256 of the limit's name and of who is counted
  digest bytea primary key check (octet_length(digest) = 32),
  full_at timestamptz not null
);
create index shared_buckets_full on kassa.shared_buckets (full_at);

-- Passwords that were tried for e-mail addresses that nobody has. A day has a bounded number of rows.
create table kassa.unknown_sign_ins (
  day date not null,
  -- an IPv4 /24 or an IPv6 /48; empty for all networks beyond the bound
  network text not null check (char_length(network) <= 60),
  tries bigint not null,
  -- the beginning of a keyed digest of what was typed, because it may be a password
  last_subject text not null,
  last_at timestamptz not null,
  primary key (day, network)
);
