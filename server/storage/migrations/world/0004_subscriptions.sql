-- oldest version: 0.2.0
-- Saved payment methods and subscriptions.

create table world.saved_methods (
  merchant_id text not null references kassa.merchants,
  id text not null unique,
  provider text not null,
  -- the provider account that keeps the method, for ever
  account_id text not null,
  -- our reference at the provider, and what the driver needs to find its saved method again; only the driver reads that
  provider_reference text not null,
  provider_state jsonb,
  setup_url text,
  -- until then one request is opening the provider's page, and others with its key wait
  lease_until timestamptz,
  status text not null default 'pending' check (status in ('pending', 'active', 'cancelled', 'failed', 'revoked')),
  customer_consent_id text not null check (char_length(customer_consent_id) between 1 and 160),
  return_url text,
  customer jsonb,
  metadata jsonb,
  card jsonb,
  -- the intent, which ends with the buyer's decision
  operation_id text not null,
  expires_at timestamptz not null,
  -- when the provider is next to be asked; null once the buyer has decided
  due_at timestamptz,
  attempts integer not null default 0,
  -- when a visit last caused a question to the provider
  asked_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  unique (account_id, provider_reference),
  constraint due_while_pending check (due_at is null or status = 'pending')
);
create index saved_methods_due on world.saved_methods (account_id, due_at) where due_at is not null;
-- A provider's callback may name a saved method only by the provider's own ids, which are in the state.
create index saved_methods_by_state on world.saved_methods using gin (provider_state jsonb_path_ops);

-- Whoever saved no card in time has none, and what was revoked stays so.
create function world.guard_saved_method() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) not in (
    ('pending', 'active'), ('pending', 'cancelled'), ('pending', 'failed'), ('pending', 'revoked'), ('active', 'revoked')
  ) then
    raise exception 'illegal saved method change: % to %', old.status, new.status
      using errcode = 'check_violation', constraint = 'saved_method_transition';
  end if;
  return new;
end $$;
create trigger saved_method_transition before update of status on world.saved_methods
  for each row when (old.status is distinct from new.status) execute function world.guard_saved_method();

create table world.subscriptions (
  merchant_id text not null references kassa.merchants,
  id text not null unique,
  merchant_subscription_id text not null check (char_length(merchant_subscription_id) between 1 and 120),
  provider text not null,
  -- the account of its saved method
  account_id text not null,
  saved_method_id text not null,
  amount_minor bigint not null check (amount_minor between 1 and 1000000000000),
  currency world.currency not null,
  billing_interval text not null check (billing_interval in ('day', 'week', 'month', 'quarter', 'year')),
  description text not null,
  metadata jsonb,
  status text not null default 'incomplete' check (status in ('incomplete', 'active', 'past_due', 'cancelled')),
  cancel_reason text check (cancel_reason in ('requested', 'retries_exhausted', 'hard_decline', 'token_revoked')),
  cancelled_at timestamptz,
  -- every date is counted from here
  anchor_at timestamptz not null,
  -- the period that was charged last or is to be charged, counted from 1
  period integer not null default 1 check (period >= 1),
  -- when the next attempt is to be made; null while one is open, and at the end
  next_charge_at timestamptz,
  operation_id text not null,
  -- when somebody is next to work on it; null when nobody is
  due_at timestamptz,
  -- how often the work was put off since its last progress
  work_attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, saved_method_id) references world.saved_methods (merchant_id, id),
  constraint cancelled_for_a_reason check (
    (status = 'cancelled') = (cancel_reason is not null) and (status = 'cancelled') = (cancelled_at is not null)),
  constraint cancelled_is_the_end check (status <> 'cancelled' or next_charge_at is null)
);
create unique index subscriptions_one_running on world.subscriptions (merchant_id, merchant_subscription_id)
  where status <> 'cancelled';
create index subscriptions_of_token on world.subscriptions (merchant_id, saved_method_id) where status <> 'cancelled';
create index subscriptions_due on world.subscriptions (account_id, due_at) where due_at is not null;

create function world.guard_subscription() returns trigger language plpgsql as $$
begin
  if old.status = 'cancelled' or new.status = 'incomplete' or new.period < old.period then
    raise exception 'illegal subscription change: % (%) to % (%)', old.status, old.period, new.status, new.period
      using errcode = 'check_violation', constraint = 'subscription_transition';
  end if;
  return new;
end $$;
create trigger subscription_transition before update of status, period on world.subscriptions
  for each row when ((old.status, old.period) is distinct from (new.status, new.period))
  execute function world.guard_subscription();

-- The attempts to charge a period. Each is a payment of its own.
create table world.subscription_charges (
  merchant_id text not null,
  subscription_id text not null,
  period integer not null check (period >= 1),
  attempt integer not null check (attempt >= 1),
  payment_id text not null,
  -- when the request was sent; from then on the provider is asked, or gets the same request again under the same key
  sent_at timestamptz,
  -- the request to the provider, apart from the payment's own terms; stored before it is sent
  request jsonb,
  -- lost: sent, and the provider certainly never got it; surplus: paid, although another attempt had paid for the period by then
  state text not null default 'open' check (state in ('open', 'paid', 'failed', 'lost', 'surplus')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, subscription_id, period, attempt),
  foreign key (merchant_id, subscription_id) references world.subscriptions (merchant_id, id),
  constraint charge_sent_with_request check (sent_at is null or request is not null)
);
create unique index subscription_charges_payment on world.subscription_charges (merchant_id, payment_id);
-- Nothing is charged twice for one period: while one attempt is open or has been paid there is no other.
create unique index subscription_charges_one_a_period on world.subscription_charges (merchant_id, subscription_id, period)
  where state in ('open', 'paid');
-- What is not known of one period holds up the next.
create unique index subscription_charges_one_open on world.subscription_charges (merchant_id, subscription_id)
  where state = 'open';
