-- oldest version: 0.2.0
-- What a provider refused while money was to be taken, what it did not take for the moment, and answers that nobody can read.

-- The provider refused to take money of an order that its buyer had approved. That it opens orders does not show that this is over.
alter table world.account_health add column refused_taking boolean not null default false;

-- unclear: what the provider answers about some payments cannot be read, or it does not know orders that have brought money.
alter table world.account_health drop constraint account_health_state_check;
alter table world.account_health add constraint account_health_state_check
  check (state in ('ok', 'refusing', 'unopenable', 'away', 'unclear')) not valid;
alter table world.account_health drop constraint account_health_is_asked;
alter table world.account_health add constraint account_health_is_asked
  check ((state in ('refusing', 'away', 'unclear')) = (due_at is not null)) not valid;

-- Since when the provider has not taken the write of this operation, without a sending in between whose outcome is unknown.
alter table world.operations add column not_taken_since timestamptz;
