-- oldest version: 0.2.0
-- After an older backup was restored, the database does not know what has happened since the backup.

create table world.restores (
  restored_at timestamptz primary key,
  -- when the backup was made
  backup_at timestamptz not null,
  -- how many numbers each sequence has skipped, because providers know orders with those numbers
  skipped_numbers bigint not null,
  -- null while refunds, captures, voids and renewals wait
  ended_at timestamptz,
  -- who ended the state before everything was asked about, and why
  ended_by text,
  reason text,
  constraint ended_early_for_a_reason check (
    (ended_by is null) = (reason is null) and (ended_by is null or ended_at is not null))
);
create unique index restores_one_open on world.restores ((true)) where ended_at is null;

-- The payments and subscriptions about which the providers are asked after the restore.
create table world.restore_checks (
  merchant_id text not null,
  -- of a payment or a subscription
  id text not null,
  kind text not null check (kind in ('payment', 'subscription')),
  account_id text not null,
  -- refunds, captures, voids and renewals wait until the provider has answered
  blocks_operations boolean not null,
  -- the status and the sums of the backup, and those after the provider's answer; null for a subscription
  before jsonb,
  after jsonb,
  -- when the provider is next to be asked; null when it has said how the payment stands, or can never say so
  due_at timestamptz,
  attempts integer not null default 0,
  -- why the provider has not said it
  problem text,
  primary key (merchant_id, id)
);
create index restore_checks_due on world.restore_checks (account_id, due_at) where due_at is not null;
create index restore_checks_holding on world.restore_checks (due_at) where due_at is not null and blocks_operations;

-- Orders of which providers or buyers have told after a restore, and which the database does not have.
create table world.unknown_orders (
  -- empty where a buyer came back, because the address does not name the account
  account_id text not null,
  reference text not null,
  source text not null check (source in ('callback', 'return')),
  -- what the driver finds the order with, and what the provider said of it
  state jsonb,
  provider_answer jsonb,
  report_count integer not null default 1,
  first_reported_at timestamptz not null,
  last_reported_at timestamptz not null,
  primary key (account_id, reference)
);
