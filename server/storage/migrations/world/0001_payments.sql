-- oldest version: 0.2.0
-- The core records. Every row of a merchant's carries merchant_id, and it leads the keys, so that the tables can be
-- distributed by merchant later. Times come from the application's clock as parameters; there is no now() here.

-- Types with a rule, instead of a check on each column. A session reads the rule of a type once. It reads the checks of a table
-- again for every statement that writes to the table, also where the checked column does not change.
create domain world.amount as bigint check (value between 1 and 1000000000000);
-- The currencies of contract/currencies.ts, and their only list here. A test compares the two.
create domain world.currency as text check (value in ('AMD', 'USD', 'EUR'));
create domain world.merchant_key as text check (char_length(value) between 1 and 160);
create domain world.merchant_reference as text check (char_length(value) between 1 and 120);
create domain world.payment_status as text check (value in (
  'created', 'pending_redirect', 'pending_payment', 'authorized', 'paid', 'failed', 'cancelled', 'reversed',
  'partially_refunded', 'refunded', 'expired', 'status_unknown', 'disputed'));
create domain world.fiscal_status as text check (value in (
  'not_required', 'pending', 'issued', 'failed', 'refunded', 'partially_refunded', 'correction_required'));
-- The states of storage/payments/attempt.ts. A test compares the two lists.
create domain world.attempt_state as text check (value in (
  'planned', 'opening', 'open', 'paid', 'declined', 'cancelled', 'expired', 'withdrawn', 'refused'));
create domain world.payment_cause as text check (value in ('request', 'provider', 'operation', 'expiry', 'operator'));
-- A language of contract/languages.ts. Only its form is checked, so that a new language needs no migration.
create domain world.locale as text check (value ~ '^[a-z]{2,3}$');
create domain world.event_state as text check (value in ('pending', 'delivered', 'exhausted', 'unaddressed'));

-- Where a merchant's events go, and how that URL fares.
create table world.receivers (
  merchant_id text primary key references kassa.merchants,
  url text not null,
  -- consecutive failures, and when the first of them was
  failures integer not null default 0,
  failing_since timestamptz,
  paused_at timestamptz,
  -- set while it rests or is paused: when one event may be tried on it
  probe_at timestamptz
);

-- sealed: AES-256-GCM under the key that key_id names. expires_at: end of the overlap after a rotation.
create table world.webhook_secrets (
  merchant_id text not null references kassa.merchants,
  id text not null,
  key_id text not null,
  sealed bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (merchant_id, id)
);

-- Only the SHA-256 digest of an api key is kept; the key itself is shown once.
create table world.api_keys (
  merchant_id text not null references kassa.merchants,
  id text not null,
  digest bytea not null unique check (octet_length(digest) = 32),
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (merchant_id, id)
);

create table world.products (
  merchant_id text not null references kassa.merchants,
  id text not null,
  name text not null check (char_length(name) between 1 and 200),
  amount_minor world.amount not null,
  currency world.currency not null,
  provider text,
  -- names, descriptions and the picture, as buyers see them: storage/merchants/products.ts has the shape
  display jsonb not null default '{}' check (jsonb_typeof(display) = 'object' and octet_length(display::text) <= 32768),
  -- Set where the buyer chooses the amount. amount_minor is then the amount that is filled in.
  min_minor bigint,
  max_minor bigint,
  step_minor bigint,
  suggested_minor bigint[] not null default '{}',
  max_quantity integer not null default 1 check (max_quantity between 1 and 100),
  updated_at timestamptz not null,
  removed_at timestamptz,
  primary key (merchant_id, id),
  check (num_nulls(min_minor, max_minor, step_minor) in (0, 3)),
  check (min_minor >= 1 and step_minor >= 1 and amount_minor between min_minor and max_minor and max_minor <= 1000000000000),
  check (min_minor is null or max_quantity = 1),
  check (amount_minor * max_quantity <= 1000000000000)
);

create table world.installations (
  merchant_id text not null references kassa.merchants,
  id text not null,
  public_key text not null unique,
  origins text[] not null check (cardinality(origins) > 0),
  return_url text,
  shop_url text,
  provider text,
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (merchant_id, id)
);

-- The payment status table of payments/status.ts once more. A test holds the two together.
create table world.payment_transitions (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into world.payment_transitions (from_status, to_status)
select from_status, unnest(string_to_array(targets, ' '))
from (values
  ('created', 'pending_redirect pending_payment authorized paid failed cancelled expired status_unknown'),
  ('pending_redirect', 'pending_payment authorized paid failed cancelled expired status_unknown'),
  ('pending_payment', 'authorized paid failed cancelled expired status_unknown'),
  ('authorized', 'paid reversed failed status_unknown'),
  ('paid', 'partially_refunded refunded reversed disputed'),
  ('partially_refunded', 'partially_refunded refunded reversed disputed paid'),
  ('refunded', 'disputed partially_refunded paid'),
  ('reversed', 'paid refunded disputed'),
  ('disputed', 'disputed paid partially_refunded refunded reversed'),
  ('failed', 'authorized paid'),
  ('cancelled', 'authorized paid'),
  ('expired', 'authorized paid'),
  ('status_unknown', 'status_unknown pending_payment authorized paid failed cancelled reversed partially_refunded refunded expired disputed')
) as table_of(from_status, targets);

-- Provider accounts: one contract with one provider. A row is never deleted: retired accounts are still asked about their
-- payments. No foreign key leads here, because each creation of a payment would have to lock the account's row.
create table world.accounts (
  id text primary key,
  route text not null,
  driver text not null,
  -- the merchant whose contract it is; null for the deployment's own
  owner text references kassa.merchants,
  -- Not an array of the domain, because the PostgreSQL client would return it as one text. The cast checks each element.
  currencies text[] not null check (
    cardinality(currencies) > 0 and array_position(currencies, null) is null and currencies::world.currency[] is not null),
  -- the settings that are no secret, as they were written
  settings jsonb not null,
  -- the values of the settings that name the contract; the same identity is the same account
  identity text not null,
  -- open to every merchant; otherwise only to those in account_merchants
  shared boolean not null,
  -- rises with every change, so that processes notice new credentials
  version integer not null default 1,
  active_from timestamptz not null,
  retired_at timestamptz,
  -- true for a retired account whose new payments another account takes; if false, its owner's new payments are refused
  superseded boolean not null default false check (not superseded or retired_at is not null),
  -- when the provider last refused the account's requests for good, and why, in the operator's words
  refused_at timestamptz,
  refused_reason text,
  -- when the provider last called back about one of our orders, to the hour; null while it never has
  callback_seen_at timestamptz,
  -- until when the budget of questions about settled payments is used up
  settled_questions_paused_until timestamptz,
  constraint account_refused_with_reason check ((refused_at is null) = (refused_reason is null))
) with (fillfactor = 60);
create unique index accounts_identity on world.accounts (route, driver, coalesce(owner, ''), identity);
-- The deployment has one account of a route at a time.
create unique index accounts_one_own on world.accounts (route) where owner is null and retired_at is null;

-- sealed: AES-256-GCM under the key that key_id names, bound to the world, the account and the setting's name.
create table world.account_credentials (
  account_id text not null references world.accounts,
  name text not null,
  key_id text not null,
  sealed bytea not null,
  primary key (account_id, name)
);

-- Merchants that may use an account of the deployment's that is not shared.
create table world.account_merchants (
  account_id text not null references world.accounts,
  merchant_id text not null references kassa.merchants,
  allowed_at timestamptz not null,
  primary key (account_id, merchant_id)
);

-- The routes that a merchant offers to buyers, the first choice first, with their labels.
create table world.merchant_routes (
  merchant_id text primary key references kassa.merchants,
  routes jsonb not null check (jsonb_typeof(routes) = 'array'),
  changed_at timestamptz not null
);

-- Rises with every change of the accounts, their credentials and their merchants: processes read them again when it has.
create table world.account_revision (
  single_row boolean primary key default true check (single_row),
  revision bigint not null default 0
);
insert into world.account_revision default values;
create function world.note_account_change() returns trigger language plpgsql as $$
begin
  update world.account_revision set revision = revision + 1;
  return null;
end $$;
-- Every change that an operator makes raises the version. The budget of questions is no change of the account.
create trigger accounts_changed after insert or delete or update of version, refused_at, callback_seen_at on world.accounts
  for each statement execute function world.note_account_change();
create trigger account_credentials_changed after insert or update or delete on world.account_credentials
  for each statement execute function world.note_account_change();
create trigger account_merchants_changed after insert or update or delete on world.account_merchants
  for each statement execute function world.note_account_change();

-- Whether each account can be used now. An account without a row has been well since it was last set.
create table world.account_health (
  account_id text primary key references world.accounts,
  state text not null check (state in ('ok', 'refusing', 'unopenable', 'away')),
  since timestamptz not null,
  -- when it stopped being well, through all states since then. It stays when the account is well again
  unwell_since timestamptz,
  -- why, in the operator's words
  reason text,
  -- what the provider refuses: the credentials, the right to take payments, or the account itself
  refusal text check (refusal in ('credentials', 'rights', 'account')),
  -- when the provider is asked again by itself
  due_at timestamptz,
  -- how often it was asked since
  checks integer not null default 0,
  -- the state of which the operator was last told
  reported_state text not null default 'ok',
  constraint account_health_has_reason check ((state = 'ok') = (reason is null)),
  constraint account_health_has_refusal check ((state = 'refusing') = (refusal is not null)),
  constraint account_health_is_asked check ((state in ('refusing', 'away')) = (due_at is not null))
);
create index account_health_due on world.account_health (due_at) where due_at is not null;
create trigger account_health_changed after insert or delete or update of state, reason on world.account_health
  for each statement execute function world.note_account_change();

-- What a provider was found to allow an account, or not to allow.
create table world.account_facts (
  account_id text not null references world.accounts,
  -- a right, such as refund
  name text not null,
  value jsonb not null,
  -- in the operator's words
  reason text not null,
  -- test: account test has found it. answer: the provider's answer to a request of a payment
  source text not null check (source in ('test', 'answer')),
  learned_at timestamptz not null,
  primary key (account_id, name)
);
create trigger account_facts_changed after insert or update or delete on world.account_facts
  for each statement execute function world.note_account_change();

-- Whether a payment with these sums can have this status. The long checks are functions, because a session reads a function once.
create function world.is_status_of(status text, authorized bigint, captured bigint, refunded bigint) returns boolean
  language plpgsql immutable as $$
begin
  return case status
    when 'authorized' then authorized > 0 and captured = 0
    when 'paid' then captured > 0 and refunded = 0
    when 'partially_refunded' then refunded > 0 and refunded < captured
    when 'refunded' then refunded > 0 and refunded = captured
    else true end;
end $$;

create table world.payments (
  merchant_id text not null,
  id text not null unique,
  merchant_order_id world.merchant_reference not null,
  -- the number of the attempt that holds the payment's money, else of the latest attempt
  attempt integer not null default 1,
  -- true for a charge of a saved method: a decline ends the payment
  single_attempt boolean not null default false,
  -- true where the buyer chooses between the merchant's routes
  buyer_chooses boolean not null default false,
  amount_minor world.amount not null,
  currency world.currency not null,
  authorized_minor bigint not null default 0,
  captured_minor bigint not null default 0,
  refunded_minor bigint not null default 0,
  -- what refunds that have not been decided yet may take of the captured amount; it counts as spent
  refund_reserved_minor bigint not null default 0 check (refund_reserved_minor >= 0),
  status world.payment_status not null default 'created',
  fiscal_status world.fiscal_status not null default 'not_required',
  -- rises by one with every change; the sequence of the change's event
  version integer not null default 0,
  description text,
  return_url text,
  shop_url text,
  customer jsonb,
  -- the language in which the buyer last went on to pay; null while no buyer was seen
  locale world.locale,
  metadata jsonb,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  constraint money_is_conserved check (
    0 <= refunded_minor and refunded_minor <= captured_minor
    and captured_minor <= authorized_minor and authorized_minor <= amount_minor),
  constraint status_agrees_with_money check (world.is_status_of(status, authorized_minor, captured_minor, refunded_minor))
-- Room for the row's next version on the same page, so that a change of status leaves the indexes alone.
) with (fillfactor = 40);

-- Attempts: one order each at a provider. A payment has one from the start, and may get others after it. No foreign key leads
-- to the payment, because each creation would have to lock what it has just inserted.
create table world.attempts (
  merchant_id text not null,
  payment_id text not null,
  number integer not null check (number >= 1),
  provider text not null,
  -- the provider account that the money goes to, for ever
  account_id text not null,
  -- our reference at the provider, stored before the provider is first called
  reference text not null,
  state world.attempt_state not null,
  -- what the driver needs to find its order again; only the driver reads it
  provider_state jsonb,
  checkout_url text,
  form jsonb,
  -- while somebody opens the order at the provider: until when nobody else may
  lease_until timestamptz,
  -- after a lost answer: until when an order may still appear, although the provider says that there is none
  may_appear_until timestamptz,
  opened_at timestamptz,
  -- the provider's own limit where it has one, else the payment's
  expires_at timestamptz not null,
  -- what the provider last said of its money
  authorized_minor bigint not null default 0,
  captured_minor bigint not null default 0,
  refunded_minor bigint not null default 0,
  -- what the buyer disputes now, and what of the refunded sum a buyer has won in disputes
  disputed_minor bigint not null default 0,
  dispute_lost_minor bigint not null default 0,
  -- what a look-up brought for people: instrument, the provider's own numbers, fee, why it was declined, a dispute
  facts jsonb,
  -- while the provider works on the payment of a buyer who has finished: since when
  under_way_since timestamptz,
  -- when the provider is next to be asked; null while it is not
  question_due_at timestamptz,
  question_attempts integer not null default 0,
  asked_at timestamptz,
  -- while a process takes the money of an approved order, nobody else does
  finalizing_until timestamptz,
  -- when the provider was last told that the order may be paid, and what it then proved; only for providers that cannot be asked
  allowed_at timestamptz,
  proof jsonb,
  created_at timestamptz not null,
  primary key (merchant_id, payment_id, number),
  unique (account_id, reference),
  constraint attempt_money check (
    0 <= dispute_lost_minor and dispute_lost_minor <= refunded_minor and 0 <= disputed_minor
    and refunded_minor + disputed_minor <= captured_minor and captured_minor <= authorized_minor)
) with (fillfactor = 60);

-- The references of orders follow from it and from what was asked for. A backup has it too, so they are the same after a restore.
create table world.order_secret (
  single_row boolean primary key default true check (single_row),
  secret bytea not null check (octet_length(secret) = 32)
);
insert into world.order_secret (secret)
select sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));

-- At most one attempt of a payment can be paid at a time.
create unique index attempts_one_open on world.attempts (merchant_id, payment_id) where state in ('planned', 'opening', 'open');
-- By account, so that each account's questions are found without reading the others'. Questions about money that has moved are
-- many, and may wait. So they have an index of their own.
create index attempts_question_due on world.attempts (account_id, question_due_at)
  where question_due_at is not null and state <> 'paid';
create index attempts_settled_due on world.attempts (account_id, question_due_at)
  where question_due_at is not null and state = 'paid';

-- Payments that are under way are few. They are found for metrics, and before a buyer pays for the same order once more.
create index attempts_under_way on world.attempts (merchant_id) where under_way_since is not null;

create function world.refuse_other_order() returns trigger language plpgsql as $$
begin
  raise exception 'an attempt never changes its order' using errcode = 'check_violation', constraint = 'attempt_terms';
end $$;
create trigger attempt_terms before update of provider, account_id, reference on world.attempts
  for each row when (old.state <> 'planned' and
    (old.provider, old.account_id, old.reference) is distinct from (new.provider, new.account_id, new.reference))
  execute function world.refuse_other_order();

-- A status moves only along the table, and each move raises the version by exactly one; what was agreed never changes.
create function world.guard_payment() returns trigger language plpgsql as $$
begin
  if new.version <> old.version + 1 or not exists (
    select from world.payment_transitions where from_status = old.status and to_status = new.status
  ) then
    raise exception 'illegal payment change: % v% to % v%', old.status, old.version, new.status, new.version
      using errcode = 'check_violation', constraint = 'payment_transition';
  end if;
  return new;
end $$;
create trigger payment_transition before update of status, version on world.payments
  for each row when (old.status is distinct from new.status or old.version is distinct from new.version)
  execute function world.guard_payment();

-- Sums rise. They fall only by name: a refund that failed after all, a hold or a capture that was given up, an outcome that was
-- not known. The function findUnnamedFall of payments/status.ts says the same.
create function world.guard_sums() returns trigger language plpgsql as $$
begin
  raise exception 'the sums of % may not fall to % % %', old.id, new.authorized_minor, new.captured_minor, new.refunded_minor
    using errcode = 'check_violation', constraint = 'sums_may_not_fall';
end $$;
create trigger sums_may_not_fall before update of authorized_minor, captured_minor, refunded_minor on world.payments
  for each row when (old.status <> 'status_unknown' and (
    (new.refunded_minor < old.refunded_minor
      and (new.version = old.version or new.status not in ('paid', 'partially_refunded', 'disputed')))
    or (new.captured_minor < old.captured_minor and new.status <> 'reversed')
    or (new.authorized_minor < old.authorized_minor and new.status not in ('failed', 'reversed'))))
  execute function world.guard_sums();

create function world.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the terms of a payment never change' using errcode = 'check_violation', constraint = 'payment_terms';
end $$;
create trigger payment_terms before update of merchant_order_id, amount_minor, currency on world.payments
  for each row when (
    (old.merchant_order_id, old.amount_minor, old.currency)
    is distinct from (new.merchant_order_id, new.amount_minor, new.currency))
  execute function world.refuse_change();

-- A new payment is created, or already has its checkout. Everything after that is a change. The trigger has no condition, because a
-- session would read the condition again for every statement.
create function world.guard_first_status() returns trigger language plpgsql as $$
begin
  if (new.status, new.version) not in (('created', 0), ('pending_redirect', 1)) or new.authorized_minor > 0 then
    raise exception 'a payment cannot start as %', new.status using errcode = 'check_violation', constraint = 'payment_starts_unpaid';
  end if;
  return new;
end $$;
create trigger payment_starts_unpaid before insert on world.payments for each row execute function world.guard_first_status();

-- The column onProof of payments/status.ts.
create function world.is_proved(from_status text, cause text) returns boolean language plpgsql immutable as $$
begin
  return cause in ('provider', 'operation', 'operator')
    or from_status not in ('failed', 'cancelled', 'expired', 'status_unknown');
end $$;

-- The column byProvider of payments/status.ts.
create function world.may_be_caused_by(from_status text, to_status text, cause text) returns boolean language plpgsql immutable as $$
begin
  return cause = 'provider' or from_status <> 'reversed' and not (
    from_status = 'refunded' and to_status in ('partially_refunded', 'paid')
    or from_status = 'partially_refunded' and to_status = 'paid');
end $$;

-- The timeline: who moved a payment, from what to what. One row for each version.
create table world.payment_changes (
  merchant_id text not null,
  payment_id text not null,
  version integer not null,
  from_status text not null,
  to_status text not null,
  cause world.payment_cause not null,
  -- who it was, where a person decided
  actor text,
  detail text,
  created_at timestamptz not null,
  primary key (merchant_id, payment_id, version),
  constraint change_needs_proof check (world.is_proved(from_status, cause)),
  constraint change_needs_provider check (world.may_be_caused_by(from_status, to_status, cause))
);

-- One row for each key that a merchant has used. It points to its payment, and says nothing more.
create table world.idempotency_keys (
  merchant_id text not null,
  scope text not null,
  key world.merchant_key not null,
  fingerprint text not null,
  payment_id text not null,
  -- how many payments the key has created
  uses integer not null default 1,
  created_at timestamptz not null,
  primary key (merchant_id, scope, key)
);

-- body: the exact bytes that every attempt sends.
create table world.events (
  merchant_id text not null,
  id text not null unique,
  payment_id text not null,
  sequence integer not null,
  status text not null,
  body text not null,
  state world.event_state not null default 'pending',
  attempts integer not null default 0,
  created_at timestamptz not null,
  delivered_at timestamptz,
  -- when the event is next to be sent, by the application's clock; null when nothing is due. The queue's jobs only wake
  due_at timestamptz,
  -- until then whoever claimed the event is at work on it; later it may be claimed again
  lease_until timestamptz,
  -- how many attempts had been made when the current run through the schedule began
  schedule_from integer not null default 0,
  -- when an operator last had the event sent again
  replayed_at timestamptz,
  primary key (merchant_id, id),
  unique (merchant_id, payment_id, sequence)
-- Room for the row's next version on the same page, so that a claim leaves the indexes alone.
) with (fillfactor = 50);

create index events_due on world.events (merchant_id, due_at, id) where due_at is not null;
create index events_replayed on world.events (merchant_id, replayed_at) where replayed_at is not null;

create table world.deliveries (
  merchant_id text not null,
  event_id text not null,
  attempt integer not null,
  url text not null,
  status_code integer,
  duration_ms integer not null,
  failure text,
  response_start text,
  created_at timestamptz not null,
  primary key (merchant_id, event_id, attempt)
);

-- Each time that a merchant's callback URL was tried with a signed test event. The URL is kept with it: another one has
-- not been tried by this.
create table world.callback_checks (
  merchant_id text not null references kassa.merchants,
  -- the id of the event that was sent
  id text not null,
  url text not null,
  accepted boolean not null,
  status_code integer,
  duration_ms integer not null,
  failure text,
  -- what was tried, line by line
  checks jsonb not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);

-- What a provider said that does not fit a payment, and moved nothing. Each thing is noted once, however often it is said.
create table world.payment_warnings (
  merchant_id text not null,
  payment_id text not null,
  detail text not null,
  created_at timestamptz not null,
  primary key (merchant_id, payment_id, detail)
);

create index payments_by_status on world.payments (status, id) where status in ('status_unknown', 'disputed', 'authorized');
-- Payments that hold an order's money, or may: asked for before a buyer pays for the same order once more. No payment is
-- born into it, so that a creation does not pay for it.
create index payments_holding on world.payments (merchant_id, merchant_order_id)
  where status in ('authorized', 'paid', 'partially_refunded', 'disputed', 'status_unknown');

-- Our references at providers that want a number. Each order of an account takes the next one.
create table world.order_numbers (
  account_id text primary key,
  last_number bigint not null check (last_number >= 1)
);
