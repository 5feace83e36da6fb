-- oldest version: 0.2.0
-- A bank transfer is found by the number that its buyer wrote.

create index concurrently if not exists attempts_by_number on world.attempts (account_id, right(payment_id, 8)) where provider = 'manual';
