-- oldest version: 0.2.0
-- Each page of the desk reads the cases that it shows, for the deployment and for one shop. Each index has only what waits for a
-- person. The text in a shop's index begins with a blank. Otherwise PostgreSQL might take the other index, and read the cases of all
-- shops for one.

create index concurrently if not exists payments_on_desk on world.payments
  (status, (kassa.desk_position(updated_at, amount_minor, case status when 'disputed' then 'disputed' else 'undecided' end, '', id) collate "C"))
  where status in ('status_unknown', 'disputed');
create index concurrently if not exists payments_on_desk_of_merchant on world.payments
  (merchant_id, status, ((' ' || kassa.desk_position(updated_at, amount_minor, case status when 'disputed' then 'disputed' else 'undecided' end, '', id)) collate "C"))
  where status in ('status_unknown', 'disputed');
create index concurrently if not exists operations_on_desk on world.operations
  ((kassa.desk_position(updated_at, amount_minor, 'operation', '', id) collate "C"))
  where status = 'requires_operator_review';
create index concurrently if not exists operations_on_desk_of_merchant on world.operations
  (merchant_id, ((' ' || kassa.desk_position(updated_at, amount_minor, 'operation', '', id)) collate "C"))
  where status = 'requires_operator_review';
create index concurrently if not exists receipts_on_desk on world.receipts
  ((kassa.desk_position(updated_at, amount_minor, 'receipt', '', id) collate "C"))
  where status in ('failed', 'unclear');
create index concurrently if not exists receipts_on_desk_of_merchant on world.receipts
  (merchant_id, ((' ' || kassa.desk_position(updated_at, amount_minor, 'receipt', '', id)) collate "C"))
  where status in ('failed', 'unclear');
create index concurrently if not exists payment_warnings_on_desk on world.payment_warnings
  ((kassa.desk_position(created_at, amount_minor, 'warning', '', payment_id) collate "C"))
  where settled_at is null;
create index concurrently if not exists payment_warnings_on_desk_of_merchant on world.payment_warnings
  (merchant_id, ((' ' || kassa.desk_position(created_at, amount_minor, 'warning', '', payment_id)) collate "C"))
  where settled_at is null;
create index concurrently if not exists statement_findings_on_desk on world.statement_findings
  ((kassa.desk_position(found_at, greatest(abs(ours_minor), abs(theirs_minor)), 'difference', account_id, id) collate "C"))
  where closed_at is null;
create index concurrently if not exists statement_findings_on_desk_of_merchant on world.statement_findings
  (merchant_id, ((' ' || kassa.desk_position(found_at, greatest(abs(ours_minor), abs(theirs_minor)), 'difference', account_id, id)) collate "C"))
  where closed_at is null;
create index concurrently if not exists receivers_on_desk on world.receivers
  ((kassa.desk_position(paused_at, null, 'callback_paused', '', merchant_id) collate "C"))
  where paused_at is not null;
create index concurrently if not exists account_health_on_desk on world.account_health
  ((kassa.desk_position(since, null, 'account', account_id, account_id) collate "C"))
  where state <> 'ok';
