-- oldest version: 0.2.0
-- The second factor counts for a while, and what an approved act makes is shown once to whoever has proposed it.

-- When the owner of the session last showed the second factor for acts that move money, and for those that redirect it. Null: never. The
-- version before writes none of it, so its sessions are asked.
alter table kassa.console_sessions add column money_proved_at timestamptz;
alter table kassa.console_sessions add column redirect_proved_at timestamptz;
-- the network from which it was shown for acts that redirect money
alter table kassa.console_sessions add column redirect_network text;

-- The sealed secret that a granted act has made. It is deleted when its proposer has seen it, or after a day.
alter table kassa.proposals add column secret_key_id text;
alter table kassa.proposals add column secret_sealed bytea;
-- null: nobody has seen it
alter table kassa.proposals add column secret_shown_at timestamptz;
-- What the act alone moves, in minor units. Null for what redirects money, and for proposals of earlier versions.
alter table kassa.proposals add column amount_minor bigint;
alter table kassa.proposals add column currency text;
