-- oldest version: 0.2.0
-- The operator is told by mail of cases that wait for a person.

-- Until when the cases are told. Whoever locks the row tells them.
create table world.desk_told (
  single_row boolean primary key default true check (single_row),
  until timestamptz not null
);
insert into world.desk_told (until) values (clock_timestamp());

alter table world.mails drop constraint mails_kind_check;
alter table world.mails add constraint mails_kind_check
  check (kind in ('paid', 'refunded', 'refund_failed', 'account_health', 'audit_checkpoint', 'order_news', 'order_test', 'desk_cases'))
  not valid;
