-- The widget's versions as they were first served. Pages pin one by its hash and stay as they are for years, whatever is
-- built, or thrown away, where the service runs.
create table widget_releases (
  version text primary key,
  script bytea not null,
  brotli bytea not null,
  gzip bytea not null,
  released_at timestamptz not null
);
