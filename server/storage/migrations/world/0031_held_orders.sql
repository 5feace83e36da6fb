-- oldest version: 0.2.0
-- The orders whose money is held are found without reading all payments of their shop.

create index concurrently if not exists order_payments_held on world.order_payments (merchant_id, payment_id) where status = 'authorized';
