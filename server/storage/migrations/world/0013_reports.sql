-- oldest version: 0.2.0
-- Reports read the entries of a time, and find an entry by the provider's id of the movement.

create index concurrently if not exists entries_by_time on world.entries (merchant_id, created_at);
create index concurrently if not exists entries_by_provider_id on world.entries (provider_id) where provider_id is not null;
