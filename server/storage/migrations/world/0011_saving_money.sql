-- oldest version: 0.2.0
-- Some providers save a card only by a small real payment. The service gives that money back.

-- What a saving takes, and what the provider has last said of that money. A saving that takes nothing has no row.
create table world.saving_money (
  merchant_id text not null,
  saved_method_id text not null,
  amount_minor bigint not null check (amount_minor between 1 and 1000000000000),
  currency world.currency not null,
  -- the provider's own name of the payment; null until it has shown one
  reference text,
  held_minor bigint not null default 0 check (held_minor >= 0),
  taken_minor bigint not null default 0 check (taken_minor >= 0),
  returned_minor bigint not null default 0 check (returned_minor >= 0),
  primary key (merchant_id, saved_method_id),
  foreign key (merchant_id, saved_method_id) references world.saved_methods (merchant_id, id)
);

-- Such money may arrive after the buyer's decision, so the provider is asked until it cannot any more.
alter table world.saved_methods drop constraint due_while_pending;
