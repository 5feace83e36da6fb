-- oldest version: 0.2.0
-- Questions about orders that are over are as many as those about money that has moved. They share its budget, so the indexes have them
-- together. `storage/payments/due-accounts.ts` has the same conditions.

create index concurrently if not exists attempts_open_question_due on world.attempts (account_id, question_due_at)
  where question_due_at is not null and (state <> 'paid'
    and (state in ('planned', 'opening', 'open') or under_way_since is not null or question_due_at - expires_at <= interval '3 hours'));
create index concurrently if not exists attempts_settled_question_due on world.attempts (account_id, question_due_at)
  where question_due_at is not null and (state = 'paid'
    or (state not in ('planned', 'opening', 'open') and under_way_since is null and question_due_at - expires_at > interval '3 hours'));
drop index concurrently if exists world.attempts_question_due;
drop index concurrently if exists world.attempts_settled_due;
