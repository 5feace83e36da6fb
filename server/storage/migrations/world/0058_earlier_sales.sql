-- oldest version: 0.2.0
-- A shop chooses the order book after its first sales. The order book takes their events in, and marks the sales as done.
alter table world.receivers
  -- Sales before then were made while nothing received the events of the shop.
  add column earlier_until timestamptz,
  -- Until then a transaction that began before may still commit an event without an address. Null once no such event is left.
  add column taking_in_until timestamptz;
