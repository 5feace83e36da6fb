-- oldest version: 0.2.0
-- A merchant that takes no new payments, for a while or for good.

alter table kassa.merchants
  add column state text not null default 'open',
  -- when it was paused or closed, and why, in the operator's words
  add column stopped_at timestamptz,
  add column stopped_why text;
alter table kassa.merchants add constraint merchants_state_check
  check (state in ('open', 'paused', 'closed') and (state = 'open') = (stopped_at is null)) not valid;
create constraint trigger merchants_state_audited after update of state, stopped_why on kassa.merchants
  deferrable initially deferred for each row execute function kassa.note_change('id', 'state stopped_why');
