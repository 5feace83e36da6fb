-- oldest version: 0.2.0
-- Sums of a day that count together. ends_at: when the day is over in every time zone in which something was counted in it, so that
-- another zone of the shop begins no new sum. Null for rows of versions before this one. counts_as: the token that was replaced first,
-- in whose sum all that followed it count.

alter table world.returned_sums add column ends_at timestamptz;
alter table world.api_keys add column counts_as text;
