-- oldest version: 0.2.0
-- Short addresses of products, for posters. A poster stays on a wall for years, so a name that was ever approved belongs to its
-- merchant for good.

create table world.short_addresses (
  -- the name with letters that look alike made equal, so that two names which people could confuse are one
  folded text primary key check (char_length(folded) between 1 and 60),
  -- as the merchant writes it
  name text not null check (char_length(name) between 3 and 30),
  merchant_id text not null references kassa.merchants,
  -- where it leads: the pay page of this product
  installation_id text not null,
  product_id text not null,
  state text not null check (state in ('asked', 'approved', 'retired')),
  asked_at timestamptz not null,
  -- the first approval; null if the name was never approved
  approved_at timestamptz,
  retired_at timestamptz,
  foreign key (merchant_id, installation_id) references world.installations,
  foreign key (merchant_id, product_id) references world.products,
  check (state = 'asked' or approved_at is not null),
  check ((state = 'retired') = (retired_at is not null))
);
create index short_addresses_of_merchant on world.short_addresses (merchant_id, folded);

create function world.keep_short_address() returns trigger language plpgsql as $$
begin
  if old.approved_at is not null and (tg_op = 'DELETE' or new.approved_at is null
      or (new.folded, new.name, new.merchant_id) is distinct from (old.folded, old.name, old.merchant_id)) then
    raise exception 'the short address % belongs to its merchant for good', old.name using errcode = 'integrity_constraint_violation';
  end if;
  return coalesce(new, old);
end $$;
create trigger short_addresses_stay before update or delete on world.short_addresses
  for each row execute function world.keep_short_address();
create constraint trigger short_addresses_audited after insert or delete or update on world.short_addresses
  deferrable initially deferred for each row execute function kassa.note_change('folded',
    'name installation_id product_id state');
