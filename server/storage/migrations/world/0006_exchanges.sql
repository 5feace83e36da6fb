-- oldest version: 0.2.0
-- What was said between us and the providers, with secrets and personal data taken out. Kept for a month, for people.
create table world.provider_exchanges (
  id bigint generated always as identity primary key,
  account_id text not null,
  -- the payment or saved method that it was about; null for the account itself
  subject_id text,
  method text not null,
  url text not null,
  -- null when no answer came
  status integer,
  failure text,
  duration_ms integer not null,
  request_body text check (char_length(request_body) <= 5000),
  response_body text check (char_length(response_body) <= 5000),
  created_at timestamptz not null
);
create index provider_exchanges_subject on world.provider_exchanges (subject_id, id) where subject_id is not null;
create index provider_exchanges_created on world.provider_exchanges (created_at);

-- What account test --pay has recorded, until it has printed it. Everything private is replaced.
create table world.recorded_calls (
  id bigint generated always as identity primary key,
  account_id text not null references world.accounts,
  -- the payment or saved method that it was about
  subject_id text,
  call jsonb not null,
  created_at timestamptz not null
);
create index recorded_calls_account on world.recorded_calls (account_id);
