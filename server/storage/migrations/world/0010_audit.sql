-- oldest version: 0.2.0
-- The changes that the audit log has, whoever makes them. A deferred trigger runs at the commit, so the log's lock is taken last.
-- No trigger here runs for a call of the API or of a provider: the conditions leave out what the service itself changes often.

create constraint trigger receivers_audited after insert or delete or update of url on world.receivers
  deferrable initially deferred for each row execute function kassa.note_change('merchant_id', 'url');
create constraint trigger webhook_secrets_audited after insert or delete or update of expires_at on world.webhook_secrets
  deferrable initially deferred for each row execute function kassa.note_change('merchant_id id', 'id expires_at');
create constraint trigger api_keys_audited after insert or delete or update on world.api_keys
  deferrable initially deferred for each row execute function kassa.note_change('merchant_id id', 'scopes expires_at revoked_at');
create constraint trigger products_audited after insert or delete or update on world.products
  deferrable initially deferred for each row execute function kassa.note_change('merchant_id id',
    'name amount_minor currency provider display min_minor max_minor step_minor suggested_minor max_quantity removed_at');
create constraint trigger installations_audited after insert or delete or update on world.installations
  deferrable initially deferred for each row execute function kassa.note_change('merchant_id id',
    'public_key origins return_url shop_url provider revoked_at');
create constraint trigger accounts_audited after insert or delete or update of version on world.accounts
  deferrable initially deferred for each row execute function kassa.note_change('id',
    'route driver owner currencies settings shared version retired_at superseded');
create constraint trigger account_merchants_audited after insert or delete or update on world.account_merchants
  deferrable initially deferred for each row execute function kassa.note_change('account_id merchant_id', 'account_id');
create constraint trigger merchant_routes_audited after insert or delete or update on world.merchant_routes
  deferrable initially deferred for each row execute function kassa.note_change('merchant_id', 'routes');
-- The restore itself has a row in real time, which names the gap in the log.
create constraint trigger restores_audited after delete or update of ended_at on world.restores
  deferrable initially deferred for each row execute function kassa.note_change('restored_at', 'backup_at ended_at ended_by');

-- The operator gets the checkpoints of the log by mail.
alter table world.mails drop constraint mails_kind_check;
alter table world.mails add constraint mails_kind_check
  check (kind in ('paid', 'refunded', 'refund_failed', 'account_health', 'audit_checkpoint')) not valid;

-- Decisions of people about money. The detail is left out, because people write it.
create constraint trigger payment_changes_audited after insert on world.payment_changes
  deferrable initially deferred for each row when (new.cause = 'operator')
  execute function kassa.note_change('payment_id version', 'from_status to_status actor');
create constraint trigger operation_changes_audited after insert on world.operation_changes
  deferrable initially deferred for each row when (new.cause = 'operator')
  execute function kassa.note_change('operation_id', 'from_status to_status actor');
create constraint trigger receipt_changes_audited after insert on world.receipt_changes
  deferrable initially deferred for each row when (new.actor is not null)
  execute function kassa.note_change('payment_id receipt_id', 'from_status to_status actor');
