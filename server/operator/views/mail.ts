/** A mail in answers. */
import type { MailRecord } from '../../storage/mails/mails.ts'

/** What each is about, as answers call it. */
export const MAIL_KINDS: Record<MailRecord['kind'], string> = {
  address_changed: 'a change',
  approval_waits: 'a proposal that waits',
  invitation: 'a link to set up the sign-in',
  paid: 'receipt',
  refunded: 'refund',
  refund_failed: 'failed refund',
  transfer: 'how to transfer',
  transfer_reminder: 'reminder of a transfer',
  account_health: 'health of accounts',
  audit_checkpoint: 'audit checkpoint',
  order_news: 'orders, to the owner',
  order_test: 'test, to the owner',
  desk_cases: 'new cases',
}

export function presentMail(mail: MailRecord) {
  const { id, paymentId, notice, kind, state, attempts, dueAt, failure, createdAt, endedAt } = mail
  const time = (at: Date | null) => at?.toISOString() ?? null
  return {
    mailId: id,
    paymentId,
    ...(notice && ('accounts' in notice ? { accounts: notice.accounts } : { merchantId: mail.merchantId })),
    about: MAIL_KINDS[kind],
    state,
    attempts,
    reason: failure,
    createdAt: time(createdAt),
    dueAt: time(dueAt),
    endedAt: time(endedAt),
  }
}
