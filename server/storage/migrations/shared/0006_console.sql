-- oldest version: 0.2.0
-- People who use the console, and how they sign in. Only digests of what opens something are stored.

-- A shop and a cashier use the console alone, so they have no key.
alter table kassa.operators alter column key_digest drop not null;
alter table kassa.operators drop constraint operators_role_check;
alter table kassa.operators add constraint operators_role_check
  check (role in ('administrator', 'operator', 'shop', 'cashier', 'viewer')) not valid;

-- A person of kassa.operators who may sign in. A removed person has no row.
create table kassa.console_users (
  operator_id text primary key references kassa.operators,
  email text not null check (char_length(email) between 3 and 254),
  -- null: every merchant
  merchant_id text references kassa.merchants,
  -- amounts in minor units by currency, up to which the person may refund; null: no limit
  refund_limits jsonb
);
create unique index console_users_one_email on kassa.console_users (lower(email));

-- The one link by which a person sets up how to sign in. It ends when it is used.
create table kassa.sign_in_links (
  operator_id text primary key references kassa.console_users on delete cascade,
  digest bytea not null unique check (octet_length(digest) = 32),
  expires_at timestamptz not null
);

create table kassa.passkeys (
  id text primary key,
  operator_id text not null references kassa.console_users on delete cascade,
  public_key bytea not null,
  -- rises with each use, if the device counts at all
  counter bigint not null,
  -- the host name that it belongs to
  host text not null,
  transports text[] not null,
  created_at timestamptz not null,
  used_at timestamptz
);
create index passkeys_owner on kassa.passkeys (operator_id);

-- A password with its second factor. hash: scrypt, with its figures and its salt. sealed: the secret of the codes.
create table kassa.passwords (
  operator_id text primary key references kassa.console_users on delete cascade,
  hash text not null,
  key_id text not null,
  sealed bytea not null,
  -- the time step of the last code that was accepted. No code counts twice.
  used_step bigint not null,
  -- steps whose codes were typed far from their time. They never count.
  burnt_steps bigint[] not null default '{}',
  changed_at timestamptz not null
);

-- Each is deleted when it is used.
create table kassa.recovery_codes (
  digest bytea primary key check (octet_length(digest) = 32),
  operator_id text not null references kassa.console_users on delete cascade
);
create index recovery_codes_owner on kassa.recovery_codes (operator_id);

-- A sign-in that has begun: a password was right and the code is missing, or a passkey is asked for. It opens nothing.
create table kassa.sign_in_steps (
  digest bytea primary key check (octet_length(digest) = 32),
  -- null until a passkey says who it is
  operator_id text references kassa.console_users on delete cascade,
  -- null for a code
  challenge text,
  expires_at timestamptz not null
);
create index sign_in_steps_expiry on kassa.sign_in_steps (expires_at);

create table kassa.console_sessions (
  digest bytea primary key check (octet_length(digest) = 32),
  operator_id text not null references kassa.console_users on delete cascade,
  seen_at timestamptz not null,
  ends_at timestamptz not null
);
create index console_sessions_owner on kassa.console_sessions (operator_id);
create index console_sessions_expiry on kassa.console_sessions (ends_at);

create constraint trigger console_users_audited after insert or delete or update on kassa.console_users
  deferrable initially deferred for each row execute function kassa.note_change('operator_id', 'email merchant_id refund_limits');
create constraint trigger passkeys_audited after insert or delete on kassa.passkeys
  deferrable initially deferred for each row execute function kassa.note_change('operator_id id', 'host');
create constraint trigger passwords_audited after insert or delete or update of hash on kassa.passwords
  deferrable initially deferred for each row execute function kassa.note_change('operator_id', 'changed_at');
