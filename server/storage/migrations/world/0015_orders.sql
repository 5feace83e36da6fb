-- oldest version: 0.2.0
-- The order book: a receiver inside Kassa for merchants without a back end. It writes these tables from the signed events that it
-- gets, as any receiver writes its own.

-- How a merchant is told of its sales. A merchant without a row is not told by mail.
create table world.order_books (
  merchant_id text primary key references kassa.merchants,
  -- where the mails go; null: nowhere
  email text check (char_length(email) between 3 and 160),
  locale text not null check (locale in ('hy', 'ru', 'en')),
  -- at once: a mail for each, up to a number an hour. daily: one mail in the evening, in the shop's time zone
  told text not null default 'at_once' check (told in ('at_once', 'daily')),
  -- what no mail is sent about
  silent text[] not null default '{}' check (silent <@ '{sale,refund,dispute,case}'),
  changed_at timestamptz not null
);
create constraint trigger order_books_audited after insert or delete or update on world.order_books
  deferrable initially deferred for each row execute function kassa.note_change('merchant_id', 'email locale told silent');

-- The newest state of each payment about which the order book got an event.
create table world.order_payments (
  merchant_id text not null references kassa.merchants,
  payment_id text not null,
  -- the merchant's order id of the payment
  reference text not null,
  sequence integer not null,
  status text not null,
  amount_minor bigint not null,
  captured_minor bigint not null,
  refunded_minor bigint not null,
  currency world.currency not null,
  -- the customer and the metadata of the payment; null once they are forgotten
  buyer jsonb,
  -- whether it was ever refunded, reversed or disputed
  taken_back boolean not null,
  -- when the newest state is to be handled; null once it is
  due_at timestamptz,
  event_at timestamptz not null,
  primary key (merchant_id, payment_id)
);
create index order_payments_due on world.order_payments (due_at) where due_at is not null;
create index order_payments_of_order on world.order_payments (merchant_id, reference);

create table world.orders (
  merchant_id text not null references kassa.merchants,
  id text not null unique,
  reference text not null,
  -- the payment that decided it, else the latest one with money
  payment_id text not null,
  -- what is left of that payment's id when it is read aloud, folded
  number text not null,
  title text,
  product_id text,
  quantity integer not null default 1 check (quantity > 0),
  -- null while it is not decided: the money is held, or went back first
  decision text check (decision in ('deliver', 'ask')),
  -- why a person must decide; null once somebody has
  question text,
  way text not null default 'new' check (way in ('new', 'packed', 'sent', 'done', 'cancelled')),
  changes integer not null default 0,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, reference)
);
create index orders_by_time on world.orders (merchant_id, created_at);
create index orders_by_number on world.orders (merchant_id, number);
create index orders_in_question on world.orders (merchant_id, created_at) where question is not null;

-- What happened to an order: what the order book decided about each state of its payments, and what people did.
create table world.order_changes (
  merchant_id text not null,
  order_id text not null,
  number integer not null,
  at timestamptz not null,
  kind text not null check (kind in ('deliver', 'ask', 'note', 'moved', 'answered', 'remark')),
  -- of what the order book decided
  payment_id text,
  sequence integer,
  status text,
  amount_minor bigint,
  why text,
  -- of what a person did. A remark has its text; null once it is forgotten
  by text,
  to_way text,
  remark text check (char_length(remark) between 1 and 2000),
  -- what the owner is told, and the mail that tells it
  news text check (news in ('sale', 'refund', 'dispute', 'case')),
  mail_id text,
  primary key (merchant_id, order_id, number),
  foreign key (merchant_id, order_id) references world.orders,
  check (num_nulls(payment_id, sequence, status) in (0, 3)),
  check ((payment_id is null) = (by is not null))
);
-- A state of a payment is handled once.
create unique index order_changes_once on world.order_changes (merchant_id, payment_id, sequence) where payment_id is not null;
create index order_changes_untold on world.order_changes (merchant_id, at) where news is not null and mail_id is null;

-- Secrets that open a page of the order book without a log-in: in mails to the owner.
create table world.order_links (
  -- SHA-256 of the secret
  digest text primary key check (digest ~ '^[0-9a-f]{64}$'),
  merchant_id text not null references kassa.merchants,
  order_id text,
  -- the day of the list that the link opens, in the shop's time zone. A link has an order or a day. The link of a test mail, which
  -- shows that somebody reads the mails, has neither
  day date,
  expires_at timestamptz not null,
  foreign key (merchant_id, order_id) references world.orders
);
create index order_links_expired on world.order_links (expires_at);

-- The owner gets mails, too.
alter table world.mails drop constraint mails_kind_check;
alter table world.mails add constraint mails_kind_check
  check (kind in ('paid', 'refunded', 'refund_failed', 'account_health', 'audit_checkpoint', 'order_news', 'order_test')) not valid;

-- A shop that sells by links and posters alone has a public key that no page of another site may use.
alter table world.installations drop constraint installations_origins_check;
