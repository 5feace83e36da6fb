-- oldest version: 0.2.0
-- The list of payments with a warning goes through the warnings, from the newest payment to the oldest.

create index concurrently if not exists payment_warnings_by_payment on world.payment_warnings (payment_id);
