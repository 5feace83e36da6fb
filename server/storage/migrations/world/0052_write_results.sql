-- oldest version: 0.2.0
-- How refunds and captures ended, from providers that tell it only in callbacks. It is stored before the provider is told so.
create table world.write_results (
  merchant_id text not null,
  payment_id text not null,
  attempt integer not null,
  write text not null check (write in ('refund', 'capture')),
  -- the provider's name of the write or ours, whichever was heard first
  name text not null,
  key text,
  provider_id text,
  state text not null check (state in ('pending', 'done', 'failed')),
  amount_minor bigint not null check (amount_minor > 0),
  heard_at timestamptz not null,
  primary key (merchant_id, payment_id, attempt, write, name),
  check (key is not null or provider_id is not null)
);
