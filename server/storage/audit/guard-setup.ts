/**
 * The audit log in a schema of its own, which another role than the service's owns. The service may read it and append to it. It can
 * neither change nor remove a row, and neither drop the log nor make it anew.
 */

const LOG_TABLE = `  create table if not exists kassa_audit.log (
    -- without gaps: the row before has the number before
    seq bigint primary key,
    at timestamptz not null,
    act text,
    who text not null,
    operator_id text,
    origin text not null,
    what text not null,
    world text,
    merchant_id text,
    about text not null,
    before text,
    after text,
    previous text not null,
    digest text not null
  );`

const APPEND_FUNCTION = `  -- Appends a row. The lock lasts until the end of the transaction. It is taken last in it.
  create or replace function kassa_audit.append(act jsonb, world text, merchant text, about text, old text, new text) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $append$
  declare
    entry kassa_audit.log;
    content text;
  begin
    -- This row explains what a restore has lost, so only a restore may bring it, with all other rows.
    if about = 'restore' then
      raise exception 'a row about a restore comes only with the restore' using errcode = 'insufficient_privilege';
    end if;
    perform pg_advisory_xact_lock(x'6b617373'::int, x'61756474'::int);
    select seq + 1, digest into entry.seq, entry.previous from kassa_audit.log order by seq desc limit 1;
    entry.seq := coalesce(entry.seq, 1);
    entry.previous := coalesce(entry.previous, '');
    entry.at := clock_timestamp();
    entry.act := act ->> 'id';
    entry.who := coalesce(act ->> 'who', 'service');
    entry.operator_id := act ->> 'operator';
    entry.origin := coalesce(act ->> 'from', nullif(current_setting('application_name'), ''), 'unknown');
    entry.what := coalesce(act ->> 'what', 'change');
    entry.world := world;
    entry.merchant_id := merchant;
    entry.about := about;
    entry.before := old;
    entry.after := new;
    -- The canonical text of the row: each value with its length in bytes, so that no two rows have the same text.
    select string_agg(coalesce(octet_length(value) || ':' || value, '-'), ' ' order by place) into content
    from unnest(array[entry.seq::text, to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), entry.act, entry.who,
      entry.operator_id, entry.origin, entry.what, entry.world, entry.merchant_id, entry.about, entry.before, entry.after, entry.previous])
      with ordinality as field (value, place);
    entry.digest := encode(sha256(convert_to(content, 'UTF8')), 'hex');
    insert into kassa_audit.log select entry.*;
    -- Tells the end of the act that this transaction has its row.
    perform set_config('kassa.audited', 'yes', true);
  end $append$;`

/**
 * What somebody else than the service's role runs once in Kassa's database. Running it again is harmless. It needs no superuser: a role
 * that may create roles makes the owner `kassa_audit`, and any other role becomes the owner itself. `npm run generate -- audit` writes it
 * into `deploy/audit.sql`, `deploy/database.sql` and the guide Deploying.
 */
export const GUARD_SETUP = `do $guard$
declare
  service name;
  keeper name := current_user;
  may_create_roles boolean := (select rolsuper or rolcreaterole from pg_roles where rolname = current_user);
  is_lent boolean := false;
begin
  perform pg_advisory_xact_lock(x'6b617373'::int, x'67756172'::int);
  -- The service's role owns the schema kassa. Before its first start it owns the database.
  select pg_get_userbyid(coalesce((select nspowner from pg_namespace where nspname = 'kassa'), datdba)) into service
    from pg_database where datname = current_database();
  if exists (select from pg_namespace where nspname = 'kassa_audit') then
    select pg_get_userbyid(nspowner) into keeper from pg_namespace where nspname = 'kassa_audit';
  elsif may_create_roles then
    keeper := 'kassa_audit';
    if not exists (select from pg_roles where rolname = 'kassa_audit') then
      create role kassa_audit nologin;
    end if;
  end if;
  if pg_has_role(service, keeper, 'member') then
    raise exception 'the role % of the service may not own the audit log, and must not be a member of its owner %', service, keeper
      using hint = 'Run this as another role, which is not the service''s and of which the service''s role is no member.';
  end if;
  if not has_database_privilege(current_database(), 'create') then
    raise exception 'the role % may not create a schema in this database', current_user
      using hint = format('As the owner of the database: grant create on database %I to %I', current_database(), current_user);
  end if;
  if keeper <> current_user and not (select rolsuper from pg_roles where rolname = current_user) then
    execute format('grant %I to %I', keeper, current_user);
    is_lent := true;
  end if;
  execute format('create schema if not exists kassa_audit authorization %I', keeper);
  execute format('set local role %I', keeper);

${LOG_TABLE}
  create index if not exists log_merchant on kassa_audit.log (merchant_id, seq) where merchant_id is not null;
  create index if not exists log_payment on kassa_audit.log (substring(about from 'pay_[0-9a-z_]+'), seq);
  create index if not exists log_restores on kassa_audit.log (seq) where about = 'restore';

  create or replace function kassa_audit.refuse_change() returns trigger language plpgsql as $refuse$
  begin
    raise exception 'the audit log is only appended to' using errcode = 'insufficient_privilege';
  end $refuse$;
  create or replace trigger log_stays before update or delete or truncate on kassa_audit.log
    for each statement execute function kassa_audit.refuse_change();

${APPEND_FUNCTION}

  -- Takes the rows of a log that the service's role has kept until now, in one transaction, and only while this log has no others.
  create or replace function kassa_audit.adopt(earlier jsonb) returns bigint
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $adopt$
  begin
    perform pg_advisory_xact_lock(x'6b617373'::int, x'61756474'::int);
    if (select first.xmin::text from kassa_audit.log as first order by seq limit 1)
        <> (pg_current_xact_id()::text::numeric % 4294967296)::text then
      raise exception 'the audit log has begun already, and nothing may replace it' using errcode = 'insufficient_privilege';
    end if;
    insert into kassa_audit.log
      select * from jsonb_to_recordset(earlier) as row (seq bigint, at timestamptz, act text, who text, operator_id text, origin text,
        what text, world text, merchant_id text, about text, before text, after text, previous text, digest text);
    return (select max(seq) from kassa_audit.log);
  end $adopt$;

  revoke all on function kassa_audit.append(jsonb, text, text, text, text, text), kassa_audit.adopt(jsonb) from public;
  execute format('grant usage on schema kassa_audit to %I', service);
  execute format('grant select on kassa_audit.log to %I', service);
  execute format('grant execute on function kassa_audit.append(jsonb, text, text, text, text, text), kassa_audit.adopt(jsonb) to %I', service);
  reset role;
  if is_lent then
    execute format('revoke %I from %I', keeper, current_user);
  end if;
end $guard$;
`

/** The same log for a database whose log is gone with its schema. The service's role owns it, and a trigger refuses changes. */
export const OWN_LOG = `
${LOG_TABLE.replaceAll('kassa_audit.log', 'kassa.audit_log')}
  create or replace trigger audit_log_stays before update or delete or truncate on kassa.audit_log
    for each statement execute function kassa.refuse_audit_change();
${APPEND_FUNCTION.replaceAll('kassa_audit.log', 'kassa.audit_log').replaceAll('kassa_audit.append(', 'kassa.append_audit(')}`
