-- oldest version: 0.2.0
-- Since when no shop and no product shows a picture. The sweep that deletes pictures sets it and takes it back.

alter table kassa.pictures add column unused_since timestamptz;

-- A removed product may be shown with its payments, so its picture is in use. A world that is not served has no schema.
create function kassa.pictures_in_use() returns setof text language plpgsql stable as $$
begin
  return query select branding -> 'logo' ->> 'id' from kassa.merchants where branding -> 'logo' ->> 'id' is not null;
  if to_regclass('sandbox.products') is not null then
    return query execute
      $q$ select display -> 'picture' ->> 'id' from sandbox.products where display -> 'picture' ->> 'id' is not null $q$;
  end if;
  if to_regclass('live.products') is not null then
    return query execute
      $q$ select display -> 'picture' ->> 'id' from live.products where display -> 'picture' ->> 'id' is not null $q$;
  end if;
end $$;
