-- How events are handed over: when each falls due, who is at work on it, and how its endpoint fares.

-- When the event is next to be sent, by the application's clock; null when nothing is due. The queue's jobs only wake.
alter table events add column due_at timestamptz;
-- Until then whoever claimed the event is at work on it; later it may be claimed again.
alter table events add column lease_until timestamptz;
-- How many attempts had been made when the current run through the schedule began.
alter table events add column schedule_from integer not null default 0;
update events set due_at = created_at where state = 'pending';
-- Room for the row's next version on the same page, so that a claim leaves the indexes alone.
alter table events set (fillfactor = 50);
create index events_due on events (merchant_id, due_at, id) where due_at is not null;

-- A merchant's callback URL that has failed. One without a row, or with a row for another URL, is in good health.
create table endpoints (
  merchant_id text primary key references merchants,
  url text not null,
  -- consecutive failures, and when the first of them was
  failures integer not null,
  failing_since timestamptz,
  paused_at timestamptz,
  -- set while it is open or paused: when one event may be tried on it
  probe_at timestamptz
);
