-- oldest version: 0.2.0
-- What each person and each token has returned in a day, in the time zone of the shop. who: the id of the person or the token, or
-- `host`. alone_minor: without a second person. The row is the lock under which a limit is checked.

create table world.returned_sums (
  who text not null,
  day date not null,
  currency world.currency not null,
  amount_minor bigint not null check (amount_minor >= 0),
  alone_minor bigint not null check (alone_minor between 0 and amount_minor),
  primary key (who, day, currency)
);

-- In which sums the operation counts, so that one that fails leaves them. Null for one that counts in none.
alter table world.operations add column counted jsonb;

-- Calls of the API that a limit has refused: one row for each token. payment_id, amount_minor and currency: of the latest call.
-- settled_at: a person has read of them.
create table world.refund_refusals (
  merchant_id text not null references kassa.merchants,
  token_id text primary key,
  currency world.currency not null,
  payment_id text not null,
  amount_minor bigint not null,
  calls integer not null,
  since timestamptz not null,
  last_at timestamptz not null,
  settled_at timestamptz,
  settled_by text,
  settled_why text
);
create index refund_refusals_on_desk on world.refund_refusals
  ((kassa.desk_position(since, amount_minor, 'refund_limit', '', token_id) collate "C"))
  where settled_at is null;
create index refund_refusals_on_desk_of_merchant on world.refund_refusals
  (merchant_id, ((' ' || kassa.desk_position(since, amount_minor, 'refund_limit', '', token_id)) collate "C"))
  where settled_at is null;
