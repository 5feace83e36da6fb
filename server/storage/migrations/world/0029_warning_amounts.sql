-- oldest version: 0.2.0
-- A warning has the amount of its payment, so that an index has the warnings in the order of the desk.

alter table world.payment_warnings add column amount_minor bigint;

update world.payment_warnings w set amount_minor = p.amount_minor from world.payments p
  where w.settled_at is null and p.merchant_id = w.merchant_id and p.id = w.payment_id;
