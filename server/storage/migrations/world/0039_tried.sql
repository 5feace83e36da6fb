-- oldest version: 0.2.0
-- When a request was last sent with an account that its provider refuses. Others wait for what comes of it.
alter table world.account_health add column tried_at timestamptz;
