-- oldest version: 0.2.0
-- What was true of the audit log when a checkpoint was made. It has a signature of its own: the version before checks only the first.

alter table kassa.audit_checkpoints
  -- whether another role than the service's owned the log
  add column is_guarded boolean,
  -- how many lines the list of revocations had
  add column revocations bigint,
  add column guard_signature text;

-- What two people have agreed on is done once: the transaction that writes its first row marks the proposal.
create function kassa.carry_out(act jsonb) returns void language plpgsql as $$
begin
  if act is null or not act ? 'proposal' or current_setting('kassa.carried_out', true) is not distinct from act ->> 'proposal' then
    return;
  end if;
  update kassa.proposals set state = 'done', sealed = null where id = act ->> 'proposal' and state = 'granted';
  if not found then
    raise exception 'the proposal % was carried out already', act ->> 'proposal' using errcode = 'KA001';
  end if;
  perform set_config('kassa.carried_out', act ->> 'proposal', true);
end $$;
