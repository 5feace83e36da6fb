-- oldest version: 0.2.0
-- The answer with the address of an order was lost: nobody can pay that order, and another one follows it.
alter domain world.attempt_state drop constraint attempt_state_check;
alter domain world.attempt_state add constraint attempt_state_check check (value in (
  'planned', 'opening', 'open', 'paid', 'declined', 'cancelled', 'expired', 'withdrawn', 'lost', 'refused')) not valid;
