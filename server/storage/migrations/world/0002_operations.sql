-- oldest version: 0.2.0
-- The guarded operations: what a merchant, an operator or the service itself asked to be done with money, and what came of it.

-- Nothing is reserved that is not there. Asked only where more is reserved: money that the provider says has gone has gone.
create function world.guard_reservation() returns trigger language plpgsql as $$
begin
  if new.refunded_minor + new.refund_reserved_minor > new.captured_minor then
    raise exception 'refunds of % and % more exceed the captured %',
      new.refunded_minor, new.refund_reserved_minor, new.captured_minor
      using errcode = 'check_violation', constraint = 'refunds_are_covered';
  end if;
  return new;
end $$;
create trigger refunds_are_covered before update of refund_reserved_minor on world.payments
  for each row when (new.refund_reserved_minor > old.refund_reserved_minor) execute function world.guard_reservation();

-- The operation status table of payments/operation.ts once more. A test holds the two together.
create table world.operation_transitions (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into world.operation_transitions (from_status, to_status)
select from_status, unnest(string_to_array(targets, ' '))
from (values
  ('blocked', 'blocked requires_provider_contract queued'),
  ('requires_provider_contract', 'requires_provider_contract blocked queued'),
  ('queued', 'processing failed'),
  ('processing', 'succeeded failed requires_operator_review'),
  ('requires_operator_review', 'succeeded failed'),
  -- only a refund, and only with reverted_at
  ('succeeded', 'failed')
) as table_of(from_status, targets);

create table world.operations (
  merchant_id text not null,
  id text not null unique,
  type text not null check (type in (
    'refund', 'capture', 'void', 'fiscal_retry', 'tokenization_intent', 'token_revoke', 'subscription_create',
    'subscription_cancel')),
  -- what it is about: a payment, a saved payment method, a subscription
  payment_id text,
  -- the attempt of the payment whose money it moves: the payment's own when it was asked for, unless the service asked
  attempt integer,
  saved_method_id text,
  subscription_id text,
  -- service: second money, which the payment does not need, goes back by itself
  cause text not null default 'request' check (cause in ('request', 'service')),
  provider text not null,
  -- null where a refused call found no account
  account_id text,
  provider_operation_id text,
  status text not null check (status in (
    'blocked', 'queued', 'processing', 'succeeded', 'failed', 'requires_provider_contract', 'requires_operator_review')),
  status_reason text,
  amount_minor bigint check (amount_minor between 1 and 1000000000000),
  currency world.currency,
  reason text,
  metadata jsonb,
  -- the key that it was asked for under, and what was asked
  scope text not null,
  key text not null check (char_length(key) between 1 and 160),
  fingerprint text not null,
  -- what the provider reported just before the request was sent, and when it was sent: from then on the provider is only asked
  snapshot_before jsonb,
  sent_at timestamptz,
  -- how often the request was sent: more than once only under a key that the provider remembers
  send_count smallint not null default 0 check (send_count >= 0),
  -- when the provider last reported the operation as pending
  last_pending_at timestamptz,
  -- when the provider said that this refund, which had succeeded, failed after all
  reverted_at timestamptz,
  -- when somebody is next to work on it; null when nobody is
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, scope, key),
  constraint sent_with_snapshot check (sent_at is null or snapshot_before is not null),
  constraint only_refunds_are_reverted check (reverted_at is null or (type = 'refund' and status = 'failed')),
  constraint money_has_an_attempt check ((attempt is not null) = (type in ('refund', 'capture', 'void'))),
  constraint service_only_returns check (cause = 'request' or type in ('refund', 'void')),
  -- an amount of zero means everything in some protocols
  constraint money_has_an_amount check (
    amount_minor is not null or type not in ('refund', 'capture', 'void') or status in ('blocked', 'requires_provider_contract'))
);
-- One at a time for each order: what an operation did is proved by the amounts before and after it.
create unique index operations_one_at_work on world.operations (merchant_id, payment_id, attempt)
  where attempt is not null and status in ('processing', 'requires_operator_review');
create index operations_open on world.operations (merchant_id, payment_id) where status in ('queued', 'processing', 'requires_operator_review');
create index operations_due on world.operations (account_id, due_at) where due_at is not null;

create function world.guard_operation() returns trigger language plpgsql as $$
begin
  if not exists (
    select from world.operation_transitions where from_status = old.status and to_status = new.status
  ) or (old.status = 'succeeded' and new.reverted_at is null) then
    raise exception 'illegal operation change: % to %', old.status, new.status
      using errcode = 'check_violation', constraint = 'operation_transition';
  end if;
  return new;
end $$;
create trigger operation_transition before update of status on world.operations
  for each row when (old.status is distinct from new.status) execute function world.guard_operation();

create function world.refuse_operation_change() returns trigger language plpgsql as $$
begin
  raise exception 'the terms of an operation never change' using errcode = 'check_violation', constraint = 'operation_terms';
end $$;
create trigger operation_terms before update of payment_id, attempt, cause, type, amount_minor, currency on world.operations
  for each row when (old.status not in ('blocked', 'requires_provider_contract') and
    (old.payment_id, old.attempt, old.cause, old.type, old.amount_minor, old.currency)
    is distinct from (new.payment_id, new.attempt, new.cause, new.type, new.amount_minor, new.currency))
  execute function world.refuse_operation_change();

-- Every change of an operation with its cause: the service's own work, or a person's decision.
create table world.operation_changes (
  merchant_id text not null,
  operation_id text not null,
  id bigint generated always as identity,
  from_status text,
  to_status text not null,
  cause text not null check (cause in ('request', 'service', 'provider', 'operator')),
  actor text,
  detail text,
  created_at timestamptz not null,
  primary key (merchant_id, operation_id, id)
);

-- Bank references under which an operator confirmed money by hand: one reference pays for one payment of an account.
create table world.bank_references (
  account_id text not null,
  -- as it was typed, and without blanks and letter case: the same transfer is typed in many ways
  reference text not null check (char_length(reference) between 1 and 200),
  reference_key text not null check (char_length(reference_key) between 1 and 200),
  merchant_id text not null,
  payment_id text not null,
  created_at timestamptz not null,
  primary key (account_id, reference_key)
);
