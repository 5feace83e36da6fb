-- oldest version: 0.2.0
-- The owner of a shop reads mails in any language of the pages. Their list is in contract/languages.ts, so the database checks only
-- the form of a code, as the domain world.locale does. The column keeps its type, because a new type would rewrite the table.
-- Every stored code is of this form, so the check reads no row.

alter table world.order_books drop constraint order_books_locale_check;
alter table world.order_books add constraint order_books_locale_check check (locale ~ '^[a-z]{2,3}$') not valid;
