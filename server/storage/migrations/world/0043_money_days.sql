-- oldest version: 0.2.0
-- The moment at which money moved decides its day: the provider's time where it states one that is over, else ours.

create index concurrently if not exists entries_by_moment on world.entries (merchant_id, least(moved_at, created_at));
