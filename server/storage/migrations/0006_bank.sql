-- The simulated bank's books: money instead of an outcome, what is still to happen, and what the bank says by itself.

-- When something next happens to the order by itself.
alter table sandbox_orders add column due_at timestamptz;
create index sandbox_orders_due on sandbox_orders (due_at) where due_at is not null;

-- Orders from before there were amounts: what was chosen has long been settled.
update sandbox_orders set body = body || jsonb_build_object(
    'outcome', 'paid', 'authorizedMinor', body -> 'amountMinor', 'capturedAt', '2000-01-01T00:00:00.000Z',
    'capturedMinor', case when (body ->> 'twoStep')::boolean then '0' else body -> 'amountMinor' end)
  where body ->> 'outcome' in ('paid', 'pending');

create table sandbox_callbacks (
  reference text not null,
  -- counted for each order, from 1
  number integer not null,
  url text not null,
  body text not null,
  -- null when it has been taken, or given up
  due_at timestamptz,
  attempts integer not null default 0,
  -- the last answer; null where there was none
  status_code integer,
  primary key (reference, number)
);
create index sandbox_callbacks_due on sandbox_callbacks (due_at) where due_at is not null;
