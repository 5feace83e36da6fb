-- Makes the role and the database of the service, before anything else uses this PostgreSQL. The image of PostgreSQL runs this file
-- once, as its superuser, when its volume is empty. All roles of the deployment are made here.

\getenv password POSTGRES_PASSWORD

-- The service owns its database and nothing else: it can neither read the files of the server nor start programs there.
create role kassa_service
  login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
create database kassa owner kassa_service;

-- The superuser had to have a password, the same one. Without a password it is for commands inside this container only.
alter role current_user password null;
