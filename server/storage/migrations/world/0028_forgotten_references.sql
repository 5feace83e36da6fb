-- oldest version: 0.2.0
-- What a person has noted of a transfer may name a forgotten buyer. It becomes its digest, by nobody but `customer forget`, and nothing
-- else of an entry ever changes.
create or replace function world.refuse_rewriting() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and current_setting('kassa.forgetting', true) = 'yes' then
    if old.proof like 'operator %' and old.provider_id not like 'sha256:%'
      and new.provider_id = 'sha256:' || encode(sha256(convert_to(old.provider_id, 'UTF8')), 'hex')
      and to_jsonb(new) - 'provider_id' = to_jsonb(old) - 'provider_id' then
      return new;
    end if;
  end if;
  raise exception 'an entry is never changed or deleted' using errcode = 'check_violation', constraint = 'entries_are_kept';
end $$;
