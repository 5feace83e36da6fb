-- oldest version: 0.2.0
-- The simulated bank keeps its books for each of its customers.
alter table world.sandbox_orders add column customer text not null default 'kassa';
alter table world.sandbox_orders drop constraint sandbox_orders_pkey, add primary key (customer, reference);
alter table world.sandbox_callbacks add column customer text not null default 'kassa';
alter table world.sandbox_callbacks drop constraint sandbox_callbacks_pkey, add primary key (customer, reference, number);
alter table world.sandbox_cards add column customer text not null default 'kassa';
alter table world.sandbox_cards drop constraint sandbox_cards_pkey, add primary key (customer, reference);

-- Which versions of a customer's secret the bank takes. A customer without a row has only the first one.
create table world.sandbox_customers (
  customer text primary key,
  oldest integer not null,
  -- the newest that the customer has used
  newest integer not null
);
