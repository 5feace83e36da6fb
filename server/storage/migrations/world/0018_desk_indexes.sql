-- oldest version: 0.2.0
-- The desk lists what waits for a person. Each index has only such rows.

create index concurrently if not exists payment_warnings_open on world.payment_warnings (created_at, payment_id) where settled_at is null;
create index concurrently if not exists events_exhausted on world.events (merchant_id, id) where state = 'exhausted';
create index concurrently if not exists receivers_paused on world.receivers (paused_at) where paused_at is not null;
