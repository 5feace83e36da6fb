-- oldest version: 0.2.0
-- The order book lists the orders of one way, and those that a mail told of, without reading all others. The owner is told of
-- returns that have failed.

create index concurrently if not exists orders_by_way on world.orders (merchant_id, way, created_at, id);
create index concurrently if not exists order_changes_of_mail on world.order_changes (merchant_id, mail_id) where mail_id is not null;
create index concurrently if not exists operations_refund_failed on world.operations (updated_at) where type = 'refund' and status = 'failed';
