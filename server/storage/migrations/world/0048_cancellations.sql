-- oldest version: 0.2.0
-- A merchant has cancelled the payment: money that arrives afterwards is not the payment's, and goes back.
alter table world.payments add column merchant_cancelled_at timestamptz;

-- The request that has cancelled a payment. actor: the operator who asked in the merchant's place.
create table world.cancellations (
  merchant_id text not null,
  payment_id text not null,
  key text not null,
  fingerprint text not null,
  reason text not null,
  metadata jsonb,
  actor text,
  created_at timestamptz not null,
  primary key (merchant_id, payment_id),
  foreign key (merchant_id, payment_id) references world.payments (merchant_id, id)
);
