-- oldest version: 0.2.0
-- What the service does by itself, or for a token, never waits for the audit log: payments go on if the log is gone. An act of a person
-- still fails without its row.

create function kassa.note(act jsonb, world text, merchant text, about text, old text, new text) returns void language plpgsql as $$
begin
  if act is not null then
    perform kassa.append_audit(act, world, merchant, about, old, new);
    return;
  end if;
  begin
    perform kassa.append_audit(null, world, merchant, about, old, new);
  -- Only what a log says that is gone, or that the role of the service may not use. A lost lock or connection fails as before.
  exception when invalid_schema_name or undefined_table or undefined_function or undefined_column or insufficient_privilege then
    raise warning 'the audit log cannot be written, so a change by the service has no row: %', about;
  end;
end $$;

-- As before, but by kassa.note.
create or replace function kassa.note_change() returns trigger language plpgsql as $$
declare
  old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  named text[] := string_to_array(tg_argv[0], ' ');
  shown text[] := string_to_array(tg_argv[1], ' ');
  old_values jsonb;
  new_values jsonb;
  act jsonb := nullif(current_setting('kassa.act', true), '')::jsonb;
begin
  select jsonb_object_agg(key, kassa.audit_value(key, old_row)) filter (where old_row is not null),
      jsonb_object_agg(key, kassa.audit_value(key, new_row)) filter (where new_row is not null)
    into old_values, new_values from unnest(shown) as key
    where old_row is null or new_row is null or old_row -> key is distinct from new_row -> key;
  if tg_op = 'UPDATE' and new_values is null then
    return null;
  end if;
  perform kassa.note(
    act,
    nullif(tg_table_schema, 'kassa'),
    coalesce(new_row, old_row) ->> case when tg_table_name = 'merchants' then 'id' when tg_table_name = 'accounts' then 'owner' else 'merchant_id' end,
    tg_table_name || ' ' || (select string_agg(coalesce(new_row, old_row) ->> key, '/' order by place)
      from unnest(named) with ordinality as field (key, place)),
    old_values::text, new_values::text);
  -- What two people have agreed on is done once: the same transaction marks the proposal, whichever process it is in.
  if act ? 'proposal' and tg_table_name <> 'proposals' and current_setting('kassa.carried_out', true) is distinct from act ->> 'proposal' then
    update kassa.proposals set state = 'done', sealed = null where id = act ->> 'proposal' and state = 'granted';
    if not found then
      raise exception 'the proposal % was carried out already', act ->> 'proposal' using errcode = 'KA001';
    end if;
    perform set_config('kassa.carried_out', act ->> 'proposal', true);
  end if;
  return null;
end $$;
