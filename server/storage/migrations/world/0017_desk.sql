-- oldest version: 0.2.0
-- A person settles a warning of a payment, so that it leaves the desk. The warning itself stays.

alter table world.payment_warnings
  add column settled_at timestamptz,
  add column settled_by text,
  add column settled_why text;
