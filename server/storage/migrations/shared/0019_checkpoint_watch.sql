-- oldest version: 0.2.0
-- A checkpoint says what the triggers of the audit log were, so that the next one shows that they were stopped in between.

alter table kassa.audit_checkpoints
  -- where the database was, and a digest of its watched triggers, functions and tables
  add column place text,
  add column watch text,
  -- how many migrations the database had: an upgrade makes triggers anew
  add column migrations bigint;
