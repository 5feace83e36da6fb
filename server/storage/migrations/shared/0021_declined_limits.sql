-- oldest version: 0.2.0
-- Somebody has decided that the world needs no limit in the currency, so none is suggested any more.
create table kassa.declined_limits (
  world text not null check (world in ('sandbox', 'live')),
  currency text not null,
  declined_at timestamptz not null,
  primary key (world, currency)
);

create constraint trigger declined_limits_audited after insert or delete or update on kassa.declined_limits
  deferrable initially deferred for each row execute function kassa.note_change('world currency', 'declined_at');
