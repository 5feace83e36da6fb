-- oldest version: 0.2.0
-- A person is sent the link with which the first sign-in is set up.

alter table world.mails drop constraint mails_kind_check;
alter table world.mails add constraint mails_kind_check
  check (kind in ('paid', 'refunded', 'refund_failed', 'account_health', 'audit_checkpoint', 'order_news', 'order_test', 'desk_cases',
    'transfer', 'transfer_reminder', 'address_changed', 'approval_waits', 'invitation')) not valid;
