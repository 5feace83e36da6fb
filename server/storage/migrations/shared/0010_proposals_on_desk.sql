-- oldest version: 0.2.0
-- The desk finds the proposals that wait without reading those that were decided.

create index concurrently if not exists proposals_on_desk on kassa.proposals (world, (kassa.desk_position(proposed_at, null, 'approval', '', id) collate "C"))
  where state = 'open';
