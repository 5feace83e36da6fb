-- oldest version: 0.2.0
-- When the callback URL last accepted an event, to within a minute.
alter table world.receivers add column accepted_at timestamptz;
