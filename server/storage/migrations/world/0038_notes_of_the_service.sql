-- oldest version: 0.2.0
-- Money that is noted without an act of a person never waits for the audit log. As before, but by kassa.note.

create or replace function world.note_money() returns trigger language plpgsql as $$
declare
  act jsonb := nullif(current_setting('kassa.act', true), '')::jsonb;
  changed jsonb := to_jsonb(new);
  named text;
  facts jsonb;
begin
  if tg_table_name = 'operation_changes' then
    select 'operation_changes ' || o.id || coalesce(' ' || coalesce(o.payment_id, o.saved_method_id, o.subscription_id), ''),
        jsonb_build_object('type', o.type, 'payment_id', o.payment_id, 'saved_method_id', o.saved_method_id,
          'subscription_id', o.subscription_id, 'amount_minor', o.amount_minor, 'currency', o.currency)
      into named, facts from world.operations o where o.merchant_id = new.merchant_id and o.id = changed ->> 'operation_id';
  elsif tg_table_name = 'payment_changes' then
    select 'payment_changes ' || p.id || '/' || (changed ->> 'version'),
        jsonb_build_object('payment_id', p.id, 'amount_minor', p.amount_minor, 'currency', p.currency,
          'captured_minor', p.captured_minor, 'refunded_minor', p.refunded_minor)
      into named, facts from world.payments p where p.merchant_id = new.merchant_id and p.id = changed ->> 'payment_id';
  elsif tg_table_name = 'receipt_changes' then
    select 'receipt_changes ' || r.payment_id || '/' || r.id,
        jsonb_build_object('payment_id', r.payment_id, 'kind', r.kind, 'amount_minor', r.amount_minor, 'currency', r.currency)
      into named, facts from world.receipts r where r.merchant_id = new.merchant_id and r.id = changed ->> 'receipt_id';
  else
    named := 'entries ' || (changed ->> 'payment_id') || '/' || (changed ->> 'number');
    facts := jsonb_build_object('payment_id', changed -> 'payment_id', 'kind', changed -> 'kind',
      'amount_minor', changed -> 'amount_minor', 'currency', changed -> 'currency');
  end if;
  perform kassa.note(act, tg_table_schema, new.merchant_id, named, null, jsonb_strip_nulls(
    coalesce(facts, '{}') || jsonb_build_object('from_status', changed -> 'from_status', 'to_status', changed -> 'to_status',
      'actor', changed -> 'actor'))::text);
  perform kassa.carry_out(act);
  return null;
end $$;
