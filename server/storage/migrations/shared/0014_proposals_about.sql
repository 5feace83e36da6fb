-- oldest version: 0.2.0
-- A payment finds the proposals that wait about it, and the service the secrets that nobody has seen yet.

create index concurrently if not exists proposals_about on kassa.proposals (world, split_part(about, ' ', 1))
  where state in ('open', 'granted') or secret_sealed is not null;
