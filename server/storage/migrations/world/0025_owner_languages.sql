-- oldest version: 0.2.0
-- The owner of a shop reads mails in any language of the pages. Their list is in contract/languages.ts, and no list of the database
-- has to follow it. The table has one row for each merchant that is told by mail.

alter table world.order_books drop constraint order_books_locale_check;
alter table world.order_books alter column locale type world.locale;
