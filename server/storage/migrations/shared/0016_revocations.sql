-- oldest version: 0.2.0
-- What was taken back: tokens, keys, people, rights, limits. Each row leaves the database as a signed line after its commit, so that
-- a restore of an older backup brings nothing of it back.

create table kassa.revocations (
  id bigint generated always as identity primary key,
  -- real time
  at timestamptz not null default clock_timestamp(),
  -- null for what both worlds share
  world text,
  kind text not null,
  -- the key of the row, and the values that hold since
  about jsonb not null,
  "values" jsonb not null,
  -- the line of the list outside. Null until it is written there.
  line bigint
);
create index revocations_unwritten on kassa.revocations (id) where line is null;

-- The trigger of every table from which something is taken back. Its arguments: the kind, the columns of the key, and the columns
-- of the values.
create function kassa.note_revocation() returns trigger language plpgsql as $$
declare
  fields jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
  about jsonb;
  named jsonb;
begin
  select jsonb_object_agg(key, fields -> key) into about from unnest(string_to_array(tg_argv[1], ' ')) as key;
  if tg_op <> 'DELETE' then
    select jsonb_object_agg(key, fields -> key) into named from unnest(string_to_array(tg_argv[2], ' ')) as key;
  end if;
  insert into kassa.revocations (world, kind, about, "values")
    values (nullif(tg_table_schema, 'kassa'), tg_argv[0], about, coalesce(named, '{}'));
  return null;
end $$;

create trigger operators_removed after update of removed_at on kassa.operators
  for each row when (old.removed_at is null and new.removed_at is not null)
  execute function kassa.note_revocation('person', 'id', 'removed_at');
create trigger operators_key_replaced after update of key_digest on kassa.operators
  for each row when (old.key_digest is distinct from new.key_digest and old.key_digest is not null)
  execute function kassa.note_revocation('operator_key', 'id', 'id');
create trigger operators_role_changed after update of role on kassa.operators
  for each row when (old.role <> new.role) execute function kassa.note_revocation('role', 'id', 'role');
create trigger console_users_removed after delete on kassa.console_users
  for each row execute function kassa.note_revocation('console_user', 'operator_id', '');
create trigger console_users_moved after update of merchant_id on kassa.console_users
  for each row when (old.merchant_id is distinct from new.merchant_id)
  execute function kassa.note_revocation('person_merchant', 'operator_id', 'merchant_id');
create trigger console_users_limited after update of refund_limits, refund_limits_day on kassa.console_users
  for each row when (new.refund_limits is not null and old.refund_limits is distinct from new.refund_limits
    or new.refund_limits_day is not null and old.refund_limits_day is distinct from new.refund_limits_day)
  execute function kassa.note_revocation('person_limit', 'operator_id', 'refund_limits refund_limits_day');
create trigger passkeys_removed after delete on kassa.passkeys
  for each row execute function kassa.note_revocation('passkey', 'id', '');
create trigger passwords_removed after delete on kassa.passwords
  for each row execute function kassa.note_revocation('password', 'operator_id', '');
create trigger passwords_replaced after update of hash on kassa.passwords
  for each row when (old.hash <> new.hash) execute function kassa.note_revocation('password', 'operator_id', 'changed_at');
create trigger approval_limits_set after insert or update on kassa.approval_limits
  for each row execute function kassa.note_revocation('approval_limit', 'world currency', 'limit_minor');
create trigger origins_removed after delete on kassa.origins
  for each row execute function kassa.note_revocation('origin', 'merchant_id origin', '');
create trigger domain_reviews_removed after delete on kassa.domain_reviews
  for each row execute function kassa.note_revocation('domain_review', 'merchant_id origin', '');
create trigger merchants_stopped after update of state on kassa.merchants
  for each row when (old.state <> new.state)
  execute function kassa.note_revocation('merchant_state', 'id', 'state stopped_at stopped_why');

-- After a restore of a backup without a list of what was taken back since: this person waits until somebody on the host confirms.
alter table kassa.operators add column waits_since timestamptz;
create constraint trigger operators_waiting_audited after update of waits_since on kassa.operators
  deferrable initially deferred for each row execute function kassa.note_change('id', 'waits_since');
