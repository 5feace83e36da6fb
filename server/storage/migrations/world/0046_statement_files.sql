-- oldest version: 0.2.0
-- Which file a line of a statement came from, so that a file can be replaced and withdrawn. world.statements keeps what it was: the
-- ranges that count.

-- Each file that was read. It stays after it was withdrawn.
create table world.statement_files (
  account_id text not null references world.accounts,
  -- SHA-256 of the file's bytes
  digest text not null,
  -- how often it was read
  run integer not null check (run >= 1),
  lines integer not null check (lines >= 0),
  from_at timestamptz not null,
  until_at timestamptz not null,
  -- a digest of how it was read. With another reading its lines are made anew
  reading text not null,
  read_at timestamptz not null,
  withdrawn_at timestamptz,
  withdrawn_by text,
  withdrawn_why text,
  primary key (account_id, digest),
  check (from_at <= until_at),
  check (num_nulls(withdrawn_at, withdrawn_by) in (0, 2))
);

-- The lines of each file. A line may stand in several files.
create table world.statement_contents (
  account_id text not null references world.accounts,
  digest text not null,
  line_id text not null,
  -- where the line begins in the file, counted from 1
  line integer not null check (line >= 1),
  run integer not null,
  primary key (account_id, digest, line_id)
);
create index statement_contents_of_line on world.statement_contents (account_id, line_id);

-- What a person has answered about the files of an account with the same names of columns.
create table world.statement_answers (
  account_id text not null references world.accounts,
  -- SHA-256 of the names of the columns
  head text not null,
  answers jsonb not null check (jsonb_typeof(answers) = 'object' and octet_length(answers::text) <= 2048),
  answered_at timestamptz not null,
  primary key (account_id, head)
);

-- A file that somebody has uploaded and looks at, before it is stored. It is deleted then, or after an hour.
create table world.statement_uploads (
  id text primary key,
  account_id text not null references world.accounts,
  bytes bytea not null,
  created_at timestamptz not null
);
create index statement_uploads_by_time on world.statement_uploads (created_at);
create index statement_uploads_of_account on world.statement_uploads (account_id);

alter table world.statement_lines
  -- the payments whose number stands in the line, where the amount is another one or several are named
  add column maybe text[] not null default '{}';
alter table world.statement_findings
  -- a person has decided it, and the statement was withdrawn afterwards
  add column withdrawn_at timestamptz;
