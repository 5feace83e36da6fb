-- oldest version: 0.2.0
-- A shop learns what became of the bank account that it has asked for.

-- What the shop reads. It is null where nobody wrote anything.
alter table kassa.proposals add column refused_why text;
alter table kassa.proposals add constraint proposals_refused_why check (char_length(refused_why) between 1 and 240) not valid;
-- Why it could not be done when it was granted. It is null for what a person has refused.
alter table kassa.proposals add column failure text;
alter table kassa.proposals add constraint proposals_failure check (failure in ('changed_meanwhile', 'impossible')) not valid;
