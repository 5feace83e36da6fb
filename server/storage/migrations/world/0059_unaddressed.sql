-- oldest version: 0.2.0
-- Finds the events that the order book takes in, and the shops whose order book does.
create index concurrently if not exists receivers_taking_in on world.receivers (merchant_id) where taking_in_until is not null;
create index concurrently if not exists events_unaddressed on world.events (merchant_id, id) where state = 'unaddressed';
