-- oldest version: 0.2.0
-- What was replaced counts as taken back: an address to which something went. The list outside gets a digest of the new value, since
-- an address may have a secret in it, or be a person's.

-- Its arguments: the kind, the columns of the key, and the column of the value. A removal has no digest.
create function kassa.note_replaced() returns trigger language plpgsql as $$
declare
  was jsonb := to_jsonb(old);
  named jsonb := case when tg_op = 'DELETE' then '{}' else to_jsonb(new) end;
  about jsonb;
begin
  if was ->> tg_argv[2] is null or was -> tg_argv[2] = named -> tg_argv[2] then
    return null;
  end if;
  select jsonb_object_agg(key, was -> key) into about from unnest(string_to_array(tg_argv[1], ' ')) as key;
  insert into kassa.revocations (world, kind, about, "values")
    values (nullif(tg_table_schema, 'kassa'), tg_argv[0], about,
      jsonb_build_object('digest', encode(sha256(convert_to(named ->> tg_argv[2], 'UTF8')), 'hex')));
  return null;
end $$;
