-- oldest version: 0.2.0
-- Fiscal receipts: one for each sale that is paid, one for each part of it that goes back.

-- The fiscal status table of payments/fiscal.ts once more. A test holds the two together.
create table world.fiscal_transitions (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into world.fiscal_transitions (from_status, to_status)
select from_status, unnest(string_to_array(targets, ' '))
from (values
  ('not_required', 'pending'),
  ('pending', 'issued failed correction_required'),
  ('issued', 'partially_refunded refunded correction_required'),
  ('failed', 'pending issued'),
  ('partially_refunded', 'refunded correction_required'),
  ('refunded', 'correction_required'),
  ('correction_required', 'pending issued failed partially_refunded refunded')
) as table_of(from_status, targets);

create function world.guard_fiscal_status() returns trigger language plpgsql as $$
begin
  if not exists (
    select from world.fiscal_transitions where from_status = old.fiscal_status and to_status = new.fiscal_status
  ) then
    raise exception 'illegal fiscal change: % to %', old.fiscal_status, new.fiscal_status
      using errcode = 'check_violation', constraint = 'fiscal_transition';
  end if;
  return new;
end $$;
create trigger fiscal_transition before update of fiscal_status on world.payments
  for each row when (old.fiscal_status is distinct from new.fiscal_status) execute function world.guard_fiscal_status();

-- The same for a receipt's own status.
create table world.receipt_transitions (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into world.receipt_transitions (from_status, to_status)
select from_status, unnest(string_to_array(targets, ' '))
from (values
  ('waiting', 'printing failed cancelled'),
  ('printing', 'issued waiting failed unclear'),
  ('issued', 'cancelled'),
  ('failed', 'waiting issued cancelled'),
  ('unclear', 'printing issued failed')
) as table_of(from_status, targets);

create table world.receipts (
  merchant_id text not null,
  id text not null unique,
  payment_id text not null,
  kind text not null check (kind in ('sale', 'refund')),
  amount_minor bigint not null check (amount_minor between 1 and 1000000000000),
  currency world.currency not null,
  -- the account with the register's settings, and the cash register that prints it
  account_id text not null,
  register text not null,
  status text not null default 'waiting' check (status in (
    'waiting', 'printing', 'issued', 'failed', 'unclear', 'cancelled')),
  status_reason text,
  -- the register's own number of it, and where it can be read
  number text,
  url text,
  -- the number of the last request to the register, and when it was sent: from then on the register is only asked,
  -- until it is known not to have printed
  sequence bigint,
  sent_at timestamptz,
  -- the fiscal_retry that ends with it
  operation_id text,
  -- when somebody is next to work on it; null when nobody is, or when it waits for its sale's receipt
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  unique (register, number),
  -- Of a refund that failed after all: never printed, or corrected by hand.
  constraint only_refunds_are_cancelled check (status <> 'cancelled' or kind = 'refund'),
  constraint issued_with_number check (status <> 'issued' or number is not null),
  constraint printing_was_sent check (status not in ('printing', 'unclear') or (sent_at is not null and sequence is not null))
);
create unique index receipts_one_sale on world.receipts (merchant_id, payment_id) where kind = 'sale';
create index receipts_of on world.receipts (merchant_id, payment_id);
-- What an operator has to look at.
create index receipts_in_doubt on world.receipts (status, id) where status in ('failed', 'unclear');
create index receipts_due on world.receipts (register, due_at) where due_at is not null;

create function world.guard_receipt() returns trigger language plpgsql as $$
begin
  if not exists (
    select from world.receipt_transitions where from_status = old.status and to_status = new.status
  ) then
    raise exception 'illegal receipt change: % to %', old.status, new.status
      using errcode = 'check_violation', constraint = 'receipt_transition';
  end if;
  return new;
end $$;
create trigger receipt_transition before update of status on world.receipts
  for each row when (old.status is distinct from new.status) execute function world.guard_receipt();

create function world.refuse_receipt_change() returns trigger language plpgsql as $$
begin
  raise exception 'the terms of a receipt never change' using errcode = 'check_violation', constraint = 'receipt_terms';
end $$;
create trigger receipt_terms before update of payment_id, kind, amount_minor, currency, account_id, register on world.receipts
  for each row when (
    (old.payment_id, old.kind, old.amount_minor, old.currency, old.account_id, old.register)
    is distinct from (new.payment_id, new.kind, new.amount_minor, new.currency, new.account_id, new.register))
  execute function world.refuse_receipt_change();

-- Refund receipts together never exceed the sale's. They are written under the payment's lock.
create function world.guard_refund_receipt() returns trigger language plpgsql as $$
declare
  sold bigint := (select amount_minor from world.receipts
    where merchant_id = new.merchant_id and payment_id = new.payment_id and kind = 'sale');
  returned bigint := (select coalesce(sum(amount_minor), 0) from world.receipts
    where merchant_id = new.merchant_id and payment_id = new.payment_id and kind = 'refund' and status <> 'cancelled');
begin
  if sold is null or returned + new.amount_minor > sold then
    raise exception 'refund receipts of % and % more exceed the sale of %', returned, new.amount_minor, sold
      using errcode = 'check_violation', constraint = 'refund_receipts_are_covered';
  end if;
  return new;
end $$;
create trigger refund_receipts_are_covered before insert on world.receipts
  for each row when (new.kind = 'refund') execute function world.guard_refund_receipt();

-- Every change of a receipt, for its payment's timeline.
create table world.receipt_changes (
  merchant_id text not null,
  payment_id text not null,
  id bigint generated always as identity,
  receipt_id text not null,
  from_status text,
  to_status text not null,
  actor text,
  detail text,
  created_at timestamptz not null,
  primary key (merchant_id, payment_id, id)
);

-- Mails to buyers, and notices to the operator. The address is not in this table: it is read from the payment or from the settings
-- when the mail is sent. `recipient_hash` is a digest of three bytes, so that mails to one buyer can be counted. Hundreds of people
-- share each of its values.
create table world.mails (
  -- of a notice to the operator: that of no merchant
  merchant_id text not null,
  -- the Message-ID is made of it, so a mail that is sent again can be recognised
  id text not null unique,
  payment_id text,
  recipient_hash integer,
  kind text not null check (kind in ('paid', 'refunded', 'refund_failed', 'account_health')),
  amount_minor bigint check (amount_minor > 0),
  -- what was returned in all by then
  refunded_minor bigint,
  -- what a notice tells, as it was when the notice was made
  notice jsonb,
  -- withheld: its address or its merchant had too many mails within the hour
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'failed', 'withheld')),
  attempts integer not null default 0,
  -- when it may be sent. While a worker sends it: until when nobody else may
  due_at timestamptz,
  -- why it was not sent, without any address
  failure text,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (merchant_id, id),
  check ((state = 'waiting') = (due_at is not null)),
  check (num_nonnulls(payment_id, recipient_hash, amount_minor, refunded_minor) = case when notice is null then 4 else 0 end)
);
create index mails_due on world.mails (due_at) where due_at is not null;
create index mails_to on world.mails (recipient_hash, state);
create index mails_ended on world.mails (merchant_id, ended_at) where ended_at is not null;
create index mails_unsent on world.mails (state, created_at) where state <> 'sent';

-- A cash register gets one request at a time, from the holder of its lease, under numbers that rise. Accounts of one owner may share
-- one.
create table world.fiscal_registers (
  register text primary key,
  last_sequence bigint not null default 0,
  lease_holder text,
  lease_until timestamptz
);
