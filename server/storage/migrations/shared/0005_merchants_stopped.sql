-- oldest version: 0.2.0
-- The merchants that take no new payments are read with every look for changed accounts.

create index concurrently if not exists merchants_stopped on kassa.merchants (id, state) where state <> 'open';
