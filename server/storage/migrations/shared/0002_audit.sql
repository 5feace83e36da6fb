-- oldest version: 0.2.0
-- Who may operate the deployment, and what was done. Rows of the log hold ids and settings: never a secret, and nothing of a buyer.

-- A person who operates this deployment. key_digest: SHA-256 of the personal key, which is shown once.
create table kassa.operators (
  id text primary key,
  name text not null check (char_length(name) between 1 and 60),
  role text not null check (role in ('administrator', 'operator', 'viewer')),
  key_digest bytea not null unique check (octet_length(key_digest) = 32),
  created_at timestamptz not null,
  removed_at timestamptz
);
-- The log names a person by this name, so a removed operator's name may be given again, but two present ones never share it.
create unique index operators_one_name on kassa.operators (lower(name)) where removed_at is null;

-- Every act of a person, and every change of what redirects money. Each row has the digest of the row before.
create table kassa.audit_log (
  -- without gaps: the row before has the number before
  seq bigint primary key,
  at timestamptz not null,
  -- the same for all rows of one act: a command writes one row for each thing that it changes
  act text,
  who text not null,
  -- null for the service, and for the system's user of the host before the first operator was added
  operator_id text,
  -- the host or the console
  origin text not null,
  what text not null,
  -- null where both worlds are concerned
  world text,
  merchant_id text,
  -- what was changed: a table with the key of its row, or the ids of the command
  about text not null,
  -- JSON. Text, so that the digest is over the exact bytes
  before text,
  after text,
  previous text not null,
  digest text not null
);
create index audit_log_merchant on kassa.audit_log (merchant_id, seq) where merchant_id is not null;

-- The only way into the log. It runs as its owner, so the role of the service needs no right to insert. The lock lasts until the
-- end of the transaction. It is taken last: by the end of a person's act, or by a trigger that waits for the commit.
create function kassa.append_audit(act jsonb, world text, merchant text, about text, old text, new text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  entry kassa.audit_log;
  content text;
begin
  perform pg_advisory_xact_lock(x'6b617373'::int, x'61756474'::int);
  select seq + 1, digest into entry.seq, entry.previous from kassa.audit_log order by seq desc limit 1;
  entry.seq := coalesce(entry.seq, 1);
  entry.previous := coalesce(entry.previous, '');
  entry.at := clock_timestamp();
  entry.act := act ->> 'id';
  entry.who := coalesce(act ->> 'who', 'service');
  entry.operator_id := act ->> 'operator';
  entry.origin := coalesce(act ->> 'from', nullif(current_setting('application_name'), ''), 'unknown');
  entry.what := coalesce(act ->> 'what', 'change');
  entry.world := world;
  entry.merchant_id := merchant;
  entry.about := about;
  entry.before := old;
  entry.after := new;
  -- The canonical text of the row: each value with its length in bytes, so that no two rows have the same text.
  select string_agg(coalesce(octet_length(value) || ':' || value, '-'), ' ' order by place) into content
  from unnest(array[entry.seq::text, to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), entry.act, entry.who,
    entry.operator_id, entry.origin, entry.what, entry.world, entry.merchant_id, entry.about, entry.before, entry.after, entry.previous])
    with ordinality as field (value, place);
  entry.digest := encode(sha256(convert_to(content, 'UTF8')), 'hex');
  insert into kassa.audit_log select entry.*;
  -- Tells the end of the act that this transaction has its row.
  perform set_config('kassa.audited', 'yes', true);
end $$;

create function kassa.refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is only appended to' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_log_stays before update or delete or truncate on kassa.audit_log
  for each statement execute function kassa.refuse_audit_change();

-- The trigger of every table whose changes are logged, whoever makes them. Its arguments: the columns of the key, and the columns
-- whose values may be in the log. It runs at the commit.
create function kassa.note_change() returns trigger language plpgsql as $$
declare
  old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  named text[] := string_to_array(tg_argv[0], ' ');
  shown text[] := string_to_array(tg_argv[1], ' ');
  old_values jsonb;
  new_values jsonb;
  act jsonb := nullif(current_setting('kassa.act', true), '')::jsonb;
begin
  select jsonb_object_agg(key, kassa.audit_value(key, old_row)) filter (where old_row is not null),
      jsonb_object_agg(key, kassa.audit_value(key, new_row)) filter (where new_row is not null)
    into old_values, new_values from unnest(shown) as key
    where old_row is null or new_row is null or old_row -> key is distinct from new_row -> key;
  if tg_op = 'UPDATE' and new_values is null then
    return null;
  end if;
  perform kassa.append_audit(
    act,
    nullif(tg_table_schema, 'kassa'),
    coalesce(new_row, old_row) ->> case when tg_table_name = 'merchants' then 'id' when tg_table_name = 'accounts' then 'owner' else 'merchant_id' end,
    tg_table_name || ' ' || (select string_agg(coalesce(new_row, old_row) ->> key, '/' order by place)
      from unnest(named) with ordinality as field (key, place)),
    old_values::text, new_values::text);
  -- What two people have agreed on is done once: the same transaction marks the proposal, whichever process it is in.
  if act ? 'proposal' and tg_table_name <> 'proposals' and current_setting('kassa.carried_out', true) is distinct from act ->> 'proposal' then
    update kassa.proposals set state = 'done', sealed = null where id = act ->> 'proposal' and state = 'granted';
    if not found then
      raise exception 'the proposal % was carried out already', act ->> 'proposal' using errcode = 'KA001';
    end if;
    perform set_config('kassa.carried_out', act ->> 'proposal', true);
  end if;
  return null;
end $$;

-- A URL may have a password in its query, so the log has a digest of the query.
create function kassa.audit_value(key text, fields jsonb) returns jsonb language sql immutable as $$
  select case when key like '%url' and fields ->> key like '%?%'
    then to_jsonb(split_part(fields ->> key, '?', 1) || '?' || left(encode(sha256(convert_to(fields ->> key, 'UTF8')), 'hex'), 16))
    else fields -> key end
$$;

-- What the log was at a time, signed by a key that the database does not have. Copies leave the database.
create table kassa.audit_checkpoints (
  at timestamptz primary key,
  seq bigint not null,
  digest text not null,
  public_key text not null,
  signature text not null
);

-- From this amount on a second person must approve what moves money by hand in a world. Where a world has any row, a new account
-- or callback URL needs one too.
create table kassa.approval_limits (
  world text not null check (world in ('sandbox', 'live')),
  currency text not null,
  limit_minor bigint not null check (limit_minor >= 0),
  primary key (world, currency)
);

-- An act that waits for a second person. sealed: its values, which may have credentials; null once it is decided or expired.
create table kassa.proposals (
  id text primary key,
  world text not null check (world in ('sandbox', 'live')),
  what text not null,
  -- what it is about, for whoever decides: ids and settings, no secret
  about text not null,
  merchant_id text,
  key_id text,
  sealed bytea,
  proposed_by text not null references kassa.operators,
  proposed_at timestamptz not null,
  expires_at timestamptz not null,
  -- granted: it is being carried out, or the process died meanwhile. Whoever granted it may repeat that.
  state text not null default 'open' check (state in ('open', 'granted', 'done', 'refused')),
  decided_by text references kassa.operators,
  decided_at timestamptz,
  constraint decided_by_another check (decided_by <> proposed_by or state = 'refused'),
  check ((state = 'open') = (decided_at is null))
);
create index proposals_open on kassa.proposals (id) where state in ('open', 'granted');

create constraint trigger approval_limits_audited after insert or delete or update on kassa.approval_limits
  deferrable initially deferred for each row execute function kassa.note_change('world currency', 'limit_minor');
create constraint trigger proposals_audited after insert or delete or update of state on kassa.proposals
  deferrable initially deferred for each row execute function kassa.note_change('id', 'what about state proposed_by decided_by');
create constraint trigger operators_audited after insert or delete or update on kassa.operators
  deferrable initially deferred for each row execute function kassa.note_change('id', 'name role removed_at');
create constraint trigger merchants_audited after insert or delete or update on kassa.merchants
  deferrable initially deferred for each row execute function kassa.note_change('id', 'name branding');
create constraint trigger origins_audited after insert or delete or update on kassa.origins
  deferrable initially deferred for each row execute function kassa.note_change('merchant_id origin', 'origin');
create constraint trigger domain_reviews_audited after insert or delete or update on kassa.domain_reviews
  deferrable initially deferred for each row execute function kassa.note_change('merchant_id origin', 'origin');
