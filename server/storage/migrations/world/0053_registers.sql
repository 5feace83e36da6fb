-- oldest version: 0.2.0
-- What a register has printed on a receipt, and since when it works on one that it has taken. skipped_at: for which restore a register
-- has skipped numbers.
alter table world.receipts add column printed jsonb, add column qr text, add column pending_since timestamptz;
alter table world.fiscal_registers add column skipped_at timestamptz;
