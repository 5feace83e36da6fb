-- oldest version: 0.2.0
-- What a token may return. issued_by: the person who answers for the token, or `host`. Null for a token of a version before this one,
-- which has no limit. is_approved: a second person has approved its limits.

alter table world.api_keys
  add column issued_by text,
  add column refund_limits jsonb,
  add column refund_limits_day jsonb,
  add column is_approved boolean not null default false;

drop trigger api_keys_audited on world.api_keys;
create constraint trigger api_keys_audited after insert or delete or update on world.api_keys
  deferrable initially deferred for each row
  execute function kassa.note_change('merchant_id id',
    'scopes expires_at revoked_at issued_by refund_limits refund_limits_day is_approved');
