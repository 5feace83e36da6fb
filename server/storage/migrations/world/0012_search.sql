-- oldest version: 0.2.0
-- Finding a payment by what a person has in hand. The worker writes these rows in batches, after the changes: no creation of a
-- payment and no change of one writes here, and no foreign key leads here or away.

-- Everything here follows from other tables, and `payment index` makes it anew.
create table world.payment_search (
  payment_id text primary key,
  merchant_id text not null,
  -- of the payment that the row shows
  version integer not null,
  amount_minor bigint not null,
  created_at timestamptz not null,
  -- the folded words under which the payment is found, each with its kind: operator/finding/words.ts has them
  words tsvector not null
);
create index payment_search_words on world.payment_search using gin (words);
create index payment_search_amounts on world.payment_search (amount_minor, payment_id);

-- How far the rows are written: ids sort by time. fresh and late: the events that were read at once, and once more two minutes
-- later, because a transaction may commit after one that has a later id. payments: those that no event has told of.
create table world.search_positions (
  name text primary key check (name in ('fresh', 'late', 'payments')),
  position text not null
);
insert into world.search_positions (name, position) values ('fresh', ''), ('late', ''), ('payments', '');
