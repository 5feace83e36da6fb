-- oldest version: 0.2.0
-- The owner of a shop is told of what the service cannot decide by itself about payments of the order book. And the link of a mail
-- shows just what that mail told of.

-- Each case is told once.
create table world.order_cases (
  merchant_id text not null references kassa.merchants,
  kind text not null check (kind in ('unknown', 'review', 'refund_failed', 'warning')),
  -- the id of the payment, or of the operation
  subject text not null,
  payment_id text not null,
  at timestamptz not null,
  -- the mail that tells it
  mail_id text,
  primary key (merchant_id, kind, subject)
);
create index order_cases_untold on world.order_cases (merchant_id, at) where mail_id is null;
create index order_cases_of_mail on world.order_cases (merchant_id, mail_id) where mail_id is not null;

alter table world.order_links add column mail_id text;

-- The test mails to an address are counted, so a test mail has its recipient.
alter table world.mails drop constraint mails_check1;
alter table world.mails add constraint mails_check1
  check (num_nonnulls(payment_id, amount_minor, refunded_minor) = case when notice is null then 3 else 0 end
    and (notice is not null or recipient_hash is not null)
    and (recipient_hash is null or notice is null or kind = 'order_test')) not valid;
