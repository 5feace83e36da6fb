-- oldest version: 0.2.0
-- A card that a provider has kept of a saving that has ended is removed there by the service itself.

alter table world.operations drop constraint service_only_returns;
alter table world.operations add constraint service_only_returns
  check (cause = 'request' or type in ('refund', 'void', 'token_revoke')) not valid;
