-- oldest version: 0.2.0
-- Questions about savings of cards that have ended share the budget of those about payments, so the two classes have indexes of their
-- own. `storage/payments/due-accounts.ts` has the same conditions.

create index concurrently if not exists saved_methods_open_due on world.saved_methods (account_id, due_at)
  where due_at is not null and status = 'pending';
create index concurrently if not exists saved_methods_ended_due on world.saved_methods (account_id, due_at)
  where due_at is not null and status <> 'pending';
drop index concurrently if exists world.saved_methods_due;
