-- Who may have access to real money: what an onboarding is told by.

-- Each time that a merchant's callback URL was tried with a signed test event. The URL is kept with it: another one has
-- not been tried by this.
create table callback_checks (
  merchant_id text not null references merchants,
  -- the id of the event that was sent
  id text not null,
  url text not null,
  accepted boolean not null,
  status_code integer,
  duration_ms integer not null,
  failure text,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);

-- The mode of the service that wrote the event: a test payment is one whose event was written in sandbox mode.
alter table events add column mode text not null default 'sandbox' check (mode in ('sandbox', 'live'));
