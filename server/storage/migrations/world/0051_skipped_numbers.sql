-- oldest version: 0.2.0
-- After a restore an account skips order numbers that its provider may know already. skipped_at: for which restore it has.
alter table world.order_numbers add column skipped_at timestamptz;
