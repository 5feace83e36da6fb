-- oldest version: 0.2.0
-- Where a case stands on the desk: the oldest day first, and of one day the largest sum. Positions sort as texts. Indexes are in this
-- order, so the function must never change.

create function kassa.desk_position(since timestamptz, amount bigint, kind text, account text, subject text) returns text
  language sql immutable parallel safe
  return ((extract(year from since at time zone 'UTC') * 10000 + extract(month from since at time zone 'UTC') * 100
      + extract(day from since at time zone 'UTC'))::bigint)::text
    || lpad((1000000000000000 - coalesce(amount, 0))::text, 16, '0') || kind || ' ' || account || ' ' || subject;
