-- oldest version: 0.2.0
-- How often the provider has refused the account when this was sent, and so has done nothing. The next request has another id.
alter table world.operations add column refused_times integer not null default 0;
alter table world.subscription_charges add column refused_times integer not null default 0;
