-- oldest version: 0.2.0
-- Payments that no buyer has reached have no search row for an hour. Somebody may ask for one a minute after it was made, by its order
-- or by the buyer's address. A payment leaves both indexes when its buyer comes or its time ends, so they stay small.

create index concurrently if not exists payments_unreached_orders on world.payments (lower(merchant_order_id))
  where status in ('created', 'pending_redirect');
create index concurrently if not exists payments_unreached_mails on world.payments (lower(customer ->> 'email'))
  where status in ('created', 'pending_redirect') and customer ->> 'email' is not null;
