-- oldest version: 0.2.0
-- A shop's own newest payments are looked through for a word without reading each of them by itself.

create index concurrently if not exists payment_search_of_merchant on world.payment_search (merchant_id, payment_id);
