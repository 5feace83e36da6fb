-- oldest version: 0.2.0
-- The most that a person may return in a day. Null: the limit of one payment holds for the day too.

alter table kassa.console_users add column refund_limits_day jsonb;

drop trigger console_users_audited on kassa.console_users;
create constraint trigger console_users_audited after insert or delete or update on kassa.console_users
  deferrable initially deferred for each row
  execute function kassa.note_change('operator_id', 'email merchant_id refund_limits refund_limits_day');
