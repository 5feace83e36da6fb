-- oldest version: 0.2.0
-- A shop learns what became of the bank account that it has asked for.

alter table kassa.proposals
  -- what the shop reads; null where nobody wrote anything
  add column refused_why text,
  -- why it could not be done when it was granted; null for what a person has refused
  add column failure text,
  add constraint proposals_refused_why check (char_length(refused_why) between 1 and 240) not valid,
  add constraint proposals_failure check (failure in ('changed_meanwhile', 'impossible')) not valid;
