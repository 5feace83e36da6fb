-- oldest version: 0.2.0
-- Accounts of one contract share their order numbers: each number is given out once, whatever ranges the accounts have.
create table world.used_numbers (
  -- The oldest account of the contract.
  account_id text primary key,
  used int8multirange not null default '{}',
  -- For the first number of each range: for which restore it has skipped numbers.
  skipped jsonb not null default '{}'
);

insert into world.used_numbers (account_id, used)
select oldest, range_agg(int8range(first, first + last_number))
from world.order_numbers
join (
  select id, min(id) over (partition by driver, identity) as oldest, (settings ->> 'FIRST_NUMBER')::bigint as first
  from world.accounts where settings ->> 'FIRST_NUMBER' ~ '^\d{1,10}$'
) numbered on id = account_id
group by oldest;
