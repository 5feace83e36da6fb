-- oldest version: 0.2.0
-- Payments that no buyer has reached are found by their order or their buyer's address, however its letters are composed.

create index concurrently if not exists payments_unreached_orders_folded
  on world.payments (lower(normalize(merchant_order_id, NFKC)))
  where status in ('created', 'pending_redirect');
create index concurrently if not exists payments_unreached_mails_folded
  on world.payments (lower(normalize(customer ->> 'email', NFKC)))
  where status in ('created', 'pending_redirect') and customer ->> 'email' is not null;
drop index concurrently if exists world.payments_unreached_orders;
drop index concurrently if exists world.payments_unreached_mails;
