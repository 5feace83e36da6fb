-- What was tried on a callback URL, line by line; empty for what was tried before there were lines.
alter table callback_checks add column checks jsonb not null default '[]';

-- When an operator last had the event sent again.
alter table events add column replayed_at timestamptz;
create index events_replayed on events (merchant_id, replayed_at) where replayed_at is not null;
