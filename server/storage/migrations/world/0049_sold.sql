-- oldest version: 0.2.0
-- What a payment sells: a product of the registry, with how many, or a period of a subscription. Null for every other payment.

alter table world.payments
  add column product_id text,
  add column quantity integer,
  add column period_start timestamptz,
  add column period_end timestamptz;
alter table world.payments add constraint payments_sold check (
  (product_id is null) = (quantity is null) and quantity > 0
  and (period_start is null) = (period_end is null) and period_start < period_end) not valid;
