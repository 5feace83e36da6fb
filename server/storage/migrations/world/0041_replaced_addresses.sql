-- oldest version: 0.2.0
-- Where events and mails went before, short addresses that were retired and products that were removed: a restore brings none of
-- them back.

create trigger receivers_replaced after update of url or delete on world.receivers
  for each row execute function kassa.note_replaced('callback', 'merchant_id', 'url');
create trigger order_books_replaced after update of email or delete on world.order_books
  for each row execute function kassa.note_replaced('order_mails', 'merchant_id', 'email');
create trigger short_addresses_retired after update of state on world.short_addresses
  for each row when (old.state <> 'retired' and new.state = 'retired')
  execute function kassa.note_revocation('short_address', 'folded', 'retired_at');
create trigger products_removed after update of removed_at on world.products
  for each row when (old.removed_at is null and new.removed_at is not null)
  execute function kassa.note_revocation('product', 'merchant_id id', 'removed_at');
