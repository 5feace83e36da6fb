-- Makes the role and the database of the service, before anything else uses this PostgreSQL. The image of PostgreSQL runs this file
-- once, as its superuser, when its volume is empty. All roles of the deployment are made here.

\getenv password POSTGRES_PASSWORD

-- The service owns its database and nothing else: it can neither read the files of the server nor start programs there.
create role kassa_service
  login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
create database kassa owner kassa_service;

-- The service gives its audit log away by this function, to a role that nobody can log in as. The guide Deploying explains it.
\connect kassa
create or replace function public.kassa_guard_audit() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $guard$
begin
  perform pg_advisory_xact_lock(x'6b617373'::int, x'67756172'::int);
  -- Only for the service: nobody else may be given the log.
  if not exists (select from pg_namespace where nspname = 'kassa' and nspowner = session_user::regrole) then
    raise exception 'only the owner of the schema kassa may call this' using errcode = 'insufficient_privilege';
  end if;
  if not exists (select from pg_roles where rolname = 'kassa_audit') then
    create role kassa_audit nologin;
  end if;
  execute format($steps$
    grant usage, create on schema kassa to kassa_audit;
    alter table kassa.audit_log owner to kassa_audit;
    alter function kassa.append_audit(jsonb, text, text, text, text, text) owner to kassa_audit;
    alter function kassa.refuse_audit_change() owner to kassa_audit;
    revoke all on kassa.audit_log from public, %1$I;
    grant select on kassa.audit_log to %1$I;
    revoke execute on function kassa.append_audit(jsonb, text, text, text, text, text) from public;
    grant execute on function kassa.append_audit(jsonb, text, text, text, text, text) to %1$I;
  $steps$, session_user);
end $guard$;

-- The superuser had to have a password, the same one. Without a password it is for commands inside this container only.
alter role current_user password null;
