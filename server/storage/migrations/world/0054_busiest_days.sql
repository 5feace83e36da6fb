-- oldest version: 0.2.0
-- A restore counts how many orders of an account and receipts of a register there were on the busiest day of the backup. The first sale
-- after it then only reads how many numbers it skips, however large the tables are.
alter table world.restores
  add column busiest_orders jsonb not null default '{}',
  add column busiest_receipts jsonb not null default '{}';
