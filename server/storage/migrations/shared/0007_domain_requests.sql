-- oldest version: 0.2.0
-- Addresses that a shop has asked to be reviewed: the origin of its site, or its public page. An approved one moves to
-- kassa.domain_reviews.

create table kassa.domain_requests (
  merchant_id text not null references kassa.merchants,
  -- an origin or a page, as kassa.domain_reviews has it
  origin text not null check (char_length(origin) between 1 and 500),
  asked_at timestamptz not null,
  -- null while it waits
  refused_at timestamptz,
  -- what the shop reads
  refused_why text check (char_length(refused_why) between 1 and 240),
  primary key (merchant_id, origin),
  check ((refused_at is null) = (refused_why is null))
);
create index domain_requests_waiting on kassa.domain_requests (asked_at) where refused_at is null;
create constraint trigger domain_requests_audited after insert or delete or update on kassa.domain_requests
  deferrable initially deferred for each row execute function kassa.note_change('merchant_id origin', 'origin refused_at');
