-- oldest version: 0.2.0
-- Every movement of money, written once and never changed. The sums of attempts and payments are the sums of these entries.

-- held, released: money that the provider reserved, and let go. taken, taken_back: money that was taken, and a taking that was
-- undone. refunded, refund_failed: money that went back, and a refund that failed after all. dispute_opened, dispute_won,
-- dispute_lost: as the provider decided for the shop or for the buyer. dispute_regained: money of a lost dispute that came back.
-- Without it a dispute that is won after it was lost could not be told from one that is still open.
-- unmatched: money that the payment cannot take. matched: unmatched money that became the payment's after all. Without it the
-- same money would be in the book twice. over_returned: more went back than the payment has taken.
-- Second money has no kind of its own: it is what is entered for an attempt that is not the payment's own. Which attempt that is
-- can still change, and an entry cannot.
create domain world.entry_kind as text check (value in (
  'held', 'released', 'taken', 'taken_back', 'refunded', 'refund_failed', 'dispute_opened', 'dispute_won', 'dispute_lost',
  'dispute_regained', 'unmatched', 'matched', 'over_returned'));

-- No foreign key leads here or away, so that no creation of a payment pays for it.
create table world.entries (
  merchant_id text not null,
  payment_id text not null,
  attempt integer not null,
  -- counts the entries of the payment
  number integer not null check (number >= 1),
  kind world.entry_kind not null,
  amount_minor bigint not null check (amount_minor > 0),
  -- the payment's own, but for unmatched and over_returned
  currency world.currency not null,
  -- the provider's own id of the movement, else our key under which the provider names it; null where it names none
  provider_id text,
  -- what told us: the provider's answer or callback, an operation of ours, or a person
  proof text not null,
  -- the provider's time, where it is known
  moved_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, payment_id, number)
);
create unique index entries_named on world.entries (merchant_id, payment_id, attempt, kind, provider_id)
  where provider_id is not null;

create function world.refuse_rewriting() returns trigger language plpgsql as $$
begin
  raise exception 'an entry is never changed or deleted' using errcode = 'check_violation', constraint = 'entries_are_kept';
end $$;
create trigger entries_are_kept before update or delete on world.entries
  for each row execute function world.refuse_rewriting();
create trigger entries_are_not_emptied before truncate on world.entries
  for each statement execute function world.refuse_rewriting();

-- The formulas of payments/entries/entry.ts once more. A test holds the two together.
create function world.entry_sums(
  merchant text, payment text, attempt_number integer,
  out authorized bigint, out captured bigint, out refunded bigint, out disputed bigint, out dispute_lost bigint
) language sql stable as $$
  select greatest(held, taken), taken, returned + lost, open, lost from (
    select
      coalesce(sum(case kind when 'held' then amount_minor when 'released' then -amount_minor end), 0)::bigint as held,
      coalesce(sum(case kind when 'taken' then amount_minor when 'taken_back' then -amount_minor end), 0)::bigint as taken,
      coalesce(sum(case kind when 'refunded' then amount_minor when 'refund_failed' then -amount_minor end), 0)::bigint as returned,
      coalesce(sum(case kind when 'dispute_opened' then amount_minor
        when 'dispute_won' then -amount_minor when 'dispute_lost' then -amount_minor end), 0)::bigint as open,
      coalesce(sum(case kind when 'dispute_lost' then amount_minor when 'dispute_regained' then -amount_minor end), 0)::bigint as lost
    from world.entries where merchant_id = merchant and payment_id = payment and attempt = attempt_number) each
$$;

-- The sums of each attempt are those of its entries, and the sums of the payment are those of its own attempt. Judged at the
-- commit, so that a transaction may write in any order.
create function world.hold_to_entries() returns trigger language plpgsql as $$
declare
  payment text := case tg_table_name when 'payments' then to_jsonb(new) ->> 'id' else to_jsonb(new) ->> 'payment_id' end;
begin
  if exists (
    select from world.payments p
      join world.attempts a on a.merchant_id = p.merchant_id and a.payment_id = p.id
      cross join lateral world.entry_sums(p.merchant_id, p.id, a.number) s
    where p.merchant_id = new.merchant_id and p.id = payment and (
      (a.authorized_minor, a.captured_minor, a.refunded_minor, a.disputed_minor, a.dispute_lost_minor)
        <> (s.authorized, s.captured, s.refunded, s.disputed, s.dispute_lost)
      or a.number = p.attempt
        and (p.authorized_minor, p.captured_minor, p.refunded_minor) <> (s.authorized, s.captured, s.refunded))
  ) then
    raise exception 'the sums of % are not those of its entries', payment
      using errcode = 'check_violation', constraint = 'sums_of_entries';
  end if;
  return null;
end $$;
create constraint trigger sums_of_entries after insert on world.entries
  deferrable initially deferred for each row execute function world.hold_to_entries();
create constraint trigger sums_of_entries after update of authorized_minor, captured_minor, refunded_minor, attempt on world.payments
  deferrable initially deferred for each row when (
    (old.authorized_minor, old.captured_minor, old.refunded_minor, old.attempt)
    is distinct from (new.authorized_minor, new.captured_minor, new.refunded_minor, new.attempt))
  execute function world.hold_to_entries();
create constraint trigger sums_of_entries
  after update of authorized_minor, captured_minor, refunded_minor, disputed_minor, dispute_lost_minor on world.attempts
  deferrable initially deferred for each row when (
    (old.authorized_minor, old.captured_minor, old.refunded_minor, old.disputed_minor, old.dispute_lost_minor)
    is distinct from
      (new.authorized_minor, new.captured_minor, new.refunded_minor, new.disputed_minor, new.dispute_lost_minor))
  execute function world.hold_to_entries();
