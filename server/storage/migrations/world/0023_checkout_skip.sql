-- oldest version: 0.2.0
-- Whether the button of an installation leads past our own page, where that page has nothing to ask or to say.

alter table world.installations add column skips_checkout boolean not null default false;

drop trigger installations_audited on world.installations;
create constraint trigger installations_audited after insert or delete or update on world.installations
  deferrable initially deferred for each row execute function kassa.note_change('merchant_id id',
    'public_key origins return_url shop_url provider skips_checkout revoked_at');
