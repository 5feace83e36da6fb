-- oldest version: 0.2.0
-- Rows of the audit log about money name the payment, the amount and the currency. And what is taken back leaves the database.

-- The trigger of what people decide about money. The payment comes second in what the row is about, so that its rows are found.
create function world.note_money() returns trigger language plpgsql as $$
declare
  act jsonb := nullif(current_setting('kassa.act', true), '')::jsonb;
  changed jsonb := to_jsonb(new);
  named text;
  facts jsonb;
begin
  if tg_table_name = 'operation_changes' then
    select 'operation_changes ' || o.id || coalesce(' ' || coalesce(o.payment_id, o.saved_method_id, o.subscription_id), ''),
        jsonb_build_object('type', o.type, 'payment_id', o.payment_id, 'saved_method_id', o.saved_method_id,
          'subscription_id', o.subscription_id, 'amount_minor', o.amount_minor, 'currency', o.currency)
      into named, facts from world.operations o where o.merchant_id = new.merchant_id and o.id = changed ->> 'operation_id';
  elsif tg_table_name = 'payment_changes' then
    select 'payment_changes ' || p.id || '/' || (changed ->> 'version'),
        jsonb_build_object('payment_id', p.id, 'amount_minor', p.amount_minor, 'currency', p.currency,
          'captured_minor', p.captured_minor, 'refunded_minor', p.refunded_minor)
      into named, facts from world.payments p where p.merchant_id = new.merchant_id and p.id = changed ->> 'payment_id';
  elsif tg_table_name = 'receipt_changes' then
    select 'receipt_changes ' || r.payment_id || '/' || r.id,
        jsonb_build_object('payment_id', r.payment_id, 'kind', r.kind, 'amount_minor', r.amount_minor, 'currency', r.currency)
      into named, facts from world.receipts r where r.merchant_id = new.merchant_id and r.id = changed ->> 'receipt_id';
  else
    named := 'entries ' || (changed ->> 'payment_id') || '/' || (changed ->> 'number');
    facts := jsonb_build_object('payment_id', changed -> 'payment_id', 'kind', changed -> 'kind',
      'amount_minor', changed -> 'amount_minor', 'currency', changed -> 'currency');
  end if;
  perform kassa.append_audit(act, tg_table_schema, new.merchant_id, named, null, jsonb_strip_nulls(
    coalesce(facts, '{}') || jsonb_build_object('from_status', changed -> 'from_status', 'to_status', changed -> 'to_status',
      'actor', changed -> 'actor'))::text);
  perform kassa.carry_out(act);
  return null;
end $$;

drop trigger payment_changes_audited on world.payment_changes;
create constraint trigger payment_changes_audited after insert on world.payment_changes
  deferrable initially deferred for each row when (new.cause = 'operator') execute function world.note_money();
drop trigger operation_changes_audited on world.operation_changes;
create constraint trigger operation_changes_audited after insert on world.operation_changes
  deferrable initially deferred for each row when (new.cause = 'operator') execute function world.note_money();
drop trigger receipt_changes_audited on world.receipt_changes;
create constraint trigger receipt_changes_audited after insert on world.receipt_changes
  deferrable initially deferred for each row when (new.actor is not null) execute function world.note_money();
-- Money that a person has stored by hand. Calls of the API and of providers name no act.
create constraint trigger entries_audited after insert on world.entries
  deferrable initially deferred for each row when (nullif(current_setting('kassa.act', true), '') is not null)
  execute function world.note_money();

create trigger api_keys_revoked after update on world.api_keys
  for each row when (old.revoked_at is null and new.revoked_at is not null
    or new.expires_at is not null and (old.expires_at is null or new.expires_at < old.expires_at))
  execute function kassa.note_revocation('token', 'merchant_id id', 'revoked_at expires_at');
create trigger api_keys_limited after update of refund_limits, refund_limits_day on world.api_keys
  for each row when (new.refund_limits is not null and old.refund_limits is distinct from new.refund_limits
    or new.refund_limits_day is not null and old.refund_limits_day is distinct from new.refund_limits_day)
  execute function kassa.note_revocation('token_limit', 'merchant_id id', 'refund_limits refund_limits_day');
create trigger installations_revoked after update of revoked_at on world.installations
  for each row when (old.revoked_at is null and new.revoked_at is not null)
  execute function kassa.note_revocation('public_key', 'merchant_id id', 'revoked_at');
create trigger installations_narrowed after update of origins on world.installations
  for each row when (not new.origins @> old.origins)
  execute function kassa.note_revocation('public_key_origins', 'merchant_id id', 'origins');
create trigger webhook_secrets_revoked after update of expires_at on world.webhook_secrets
  for each row when (new.expires_at is not null and (old.expires_at is null or new.expires_at < old.expires_at))
  execute function kassa.note_revocation('webhook_secret', 'merchant_id id', 'expires_at');
create trigger webhook_secrets_deleted after delete on world.webhook_secrets
  for each row execute function kassa.note_revocation('webhook_secret', 'merchant_id id', '');
create trigger accounts_retired after update of retired_at on world.accounts
  for each row when (old.retired_at is null and new.retired_at is not null)
  execute function kassa.note_revocation('account', 'id', 'retired_at superseded');
create trigger account_merchants_removed after delete on world.account_merchants
  for each row execute function kassa.note_revocation('account_merchant', 'account_id merchant_id', '');
create trigger saved_methods_revoked after update of status on world.saved_methods
  for each row when (old.status <> 'revoked' and new.status = 'revoked')
  execute function kassa.note_revocation('saved_method', 'merchant_id id', 'status');
create trigger subscriptions_cancelled after update of status on world.subscriptions
  for each row when (old.status <> 'cancelled' and new.status = 'cancelled')
  execute function kassa.note_revocation('subscription', 'merchant_id id', 'cancelled_at cancel_reason');

-- After a restore without a list of what was taken back since. A token that may move money waits until somebody on the host confirms
-- it. The others work, and are listed until then.
alter table world.api_keys
  add column waits_since timestamptz,
  add column listed_since timestamptz;
create constraint trigger api_keys_waiting_audited after update of waits_since, listed_since on world.api_keys
  deferrable initially deferred for each row when (new.waits_since is distinct from old.waits_since or new.listed_since is distinct from old.listed_since)
  execute function kassa.note_change('merchant_id id', 'waits_since listed_since');
