/** The mails that buyers and the operator get. A claimed mail is due again when its lease ends, so no mail is lost with a process. */
import { createHash } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { type Queryable, statement } from '../db.ts'
import {
  type AddressMail,
  type ApprovalMail,
  type BuyerMail,
  type Change,
  type DeskMail,
  type InvitationMail,
  MAIL_COLUMNS,
  type MailRecord,
  type MailState,
  type NoticeMail,
  type OwnerMail,
} from './mail.ts'

export {
  type AccountNotice,
  type AddressMail,
  type ApprovalMail,
  type BuyerMail,
  type DeskMail,
  type InvitationMail,
  MAIL_STATES,
  type MailRecord,
  type NoticeMail,
  type OwnerMail,
} from './mail.ts'

const countTo = statement<{ count: number }>(
  'count_mails_to_mailbox',
  `select count(*)::int as count from world.mails
   where recipient_hash = $1 and ((state = 'sent' and ended_at > $3) or (state = 'waiting' and id < $2))`,
)
const countOf = statement<{ count: number }>(
  'count_mails_of_merchant',
  `select (select count(*) from world.mails where merchant_id = $1 and ended_at > $3 and state = 'sent')::int
     + (select count(*) from world.mails where merchant_id = $1 and due_at is not null and id < $2)::int as count`,
)

const measure = statement<{ state: MailState; count: number; oldestAt: Date }>(
  'measure_mails',
  `select state, count(*)::int as count, min(created_at) as "oldestAt" from world.mails where state <> 'sent' group by state`,
)

/** `to`: the buyer's address. */
export const insertMail = statement(
  'insert_mail',
  `insert into world.mails (merchant_id, id, payment_id, kind, amount_minor, refunded_minor, due_at, created_at, recipient_hash)
   values ($1, $2, $3, $4, $5, $6, $7, $7, $8)`,
).run(
  (
    mail: Pick<
      BuyerMail,
      'merchantId' | 'id' | 'paymentId' | 'kind' | 'amountMinor' | 'refundedMinor' | 'createdAt'
    > & { to: string },
  ) => {
    const { merchantId, id, paymentId, kind, amountMinor, refundedMinor, createdAt, to } = mail
    return [merchantId, id, paymentId, kind, amountMinor, refundedMinor, createdAt, mailboxOf(to)]
  },
)

/** `merchantId`: of no merchant, or the one whose owner gets it. `to`: the address, if its mails are counted. */
export const insertNotice = statement(
  'insert_notice',
  `insert into world.mails (merchant_id, id, kind, notice, due_at, created_at, recipient_hash) values ($1, $2, $3, $4, $5, $5, $6)`,
).run(
  ({
    merchantId,
    id,
    kind,
    notice,
    createdAt,
    to,
  }: (
    | Pick<NoticeMail, 'merchantId' | 'id' | 'kind' | 'notice' | 'createdAt'>
    | Pick<OwnerMail, 'merchantId' | 'id' | 'kind' | 'notice' | 'createdAt'>
    | Pick<DeskMail, 'merchantId' | 'id' | 'kind' | 'notice' | 'createdAt'>
    | Pick<AddressMail, 'merchantId' | 'id' | 'kind' | 'notice' | 'createdAt'>
    | Pick<ApprovalMail, 'merchantId' | 'id' | 'kind' | 'notice' | 'createdAt'>
    | Pick<InvitationMail, 'merchantId' | 'id' | 'kind' | 'notice' | 'createdAt'>
  ) & { to?: string }) => [
    merchantId,
    id,
    kind,
    JSON.stringify(notice),
    createdAt,
    to ? mailboxOf(to) : null,
  ],
)

/** Returns how many mails of a kind, with this id or a later one, there are. `merchantId`: of no merchant, or the owner's. */
export const countMailsSince = statement<{ count: number }>(
  'count_mails_of_kind',
  'select count(*)::int as count from world.mails where merchant_id = $1 and kind = $2 and id >= $3',
).value('count', 0, ({ merchantId, kind, id }: Pick<MailRecord, 'merchantId' | 'kind' | 'id'>) => [
  merchantId,
  kind,
  id,
])

/** Returns how many mails of this kind this address has got since the id. `change`: null for mails that are about none. */
export const countNoticesTo = statement<{ count: number }>(
  'count_notices_to',
  `select count(*)::int as count from world.mails where merchant_id = $1 and kind = $2 and id >= $3 and notice->>'to' = $4
     and ($5::text is null or coalesce(notice->>'change', 'address') = $5)`,
).value(
  'count',
  0,
  ({
    merchantId,
    kind,
    since,
    to,
    change,
  }: Pick<MailRecord, 'merchantId' | 'kind'> & { since: string; to: string; change: Change | null }) => [
    merchantId,
    kind,
    since,
    to,
    change,
  ],
)

/** Returns how many mails of a kind to this address have an id from `since` on and below `before`. */
// The mails that wait before this one count too. So of many workers at once none lets a mail through that is one too many.
export const countMailsTo = statement<{ count: number }>(
  'count_mails_of_kind_to_mailbox',
  'select count(*)::int as count from world.mails where recipient_hash = $1 and kind = $2 and id >= $3 and id < $4',
).value(
  'count',
  0,
  ({ to, kind, since, before }: { to: string; kind: MailRecord['kind']; since: string; before: string }) => [
    mailboxOf(to),
    kind,
    since,
    before,
  ],
)

/**
 * The same number for all ways to write one mailbox that some mail server takes for one: capitals, a tag after a plus, dots, quotes,
 * backslashes. Other mailboxes of the same name at that server then share its limit, and dots in a name are rare.
 */
function mailboxOf(address: string): number {
  const at = address.lastIndexOf('@')
  const name = address
    .slice(0, at)
    .normalize('NFKC')
    .replaceAll(/["\\.\s]/g, '')
  const withoutTag = name.replace(/(?<=.)\+.*$/s, '')
  return createHash('sha256')
    .update(`${withoutTag}@${hostOf(address.slice(at + 1))}`.toLowerCase())
    .digest()
    .readUIntBE(0, 3)
}

/** The same text for a domain in letters of any script and for its ASCII form, with or without the final dot. */
function hostOf(domain: string): string {
  const host = (domainToASCII(domain) || domain).replace(/\.$/, '')
  return host === 'googlemail.com' ? 'gmail.com' : host
}

/** How many mails were sent after `since`, or wait before this one: to its address, and of its merchant. */
export async function countMailsBefore(
  db: Queryable,
  { merchantId, id }: Pick<MailRecord, 'merchantId' | 'id'>,
  { to, since }: { to: string; since: Date },
): Promise<{ toAddress: number; ofMerchant: number }> {
  const [[toAddress], [ofMerchant]] = await Promise.all([
    countTo(db, [mailboxOf(to), id, since]),
    countOf(db, [merchantId, id, since]),
  ])
  return { toAddress: toAddress?.count ?? 0, ofMerchant: ofMerchant?.count ?? 0 }
}

/** Until `leaseUntil` nobody else claims them. */
export const claimDueMails = statement<MailRecord>(
  'claim_due_mails',
  `update world.mails set due_at = $2, attempts = attempts + 1
   where id in (select id from world.mails where due_at <= $1 order by due_at, id limit $3 for update skip locked)
   returning ${MAIL_COLUMNS}`,
).all(({ now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number }) => [
  now,
  leaseUntil,
  limit,
])

export type MailOutcome = Pick<MailRecord, 'state' | 'dueAt' | 'failure' | 'endedAt'> & {
  /** The mail was not tried, so its claim does not count. */
  untried?: true
}

/** Returns false if somebody else has claimed the mail since. */
// Only the worker that claimed the mail last may write. The number of claims identifies it.
export const updateMail = statement<{ id: string }>(
  'update_mail',
  `update world.mails set state = $4, due_at = $5, failure = $6, ended_at = $7, attempts = attempts - $8::int
   where merchant_id = $1 and id = $2 and attempts = $3 and state = 'waiting' returning id`,
).some(
  (
    { merchantId, id, attempts }: Pick<MailRecord, 'merchantId' | 'id' | 'attempts'>,
    { state, dueAt, failure, endedAt, untried }: MailOutcome,
  ) => [merchantId, id, attempts, state, dueAt, failure, endedAt, untried ? 1 : 0],
)

/** Makes a mail due that failed or was withheld. Returns null if there is none with this id. */
export const sendMailAgain = statement<MailRecord>(
  'send_mail_again',
  `update world.mails set state = 'waiting', due_at = $2, attempts = 0, ended_at = null
   where id = $1 and state in ('failed', 'withheld') returning ${MAIL_COLUMNS}`,
).first((id: string, at: Date) => [id, at])

/** Newest first. */
export const listMails = statement<MailRecord>(
  'list_mails',
  `select ${MAIL_COLUMNS} from world.mails where ($1::text is null or state = $1) and ($2::text is null or payment_id = $2)
   order by id desc limit $3`,
).all(
  ({
    state = null,
    paymentId = null,
    limit,
  }: {
    state?: MailState | null | undefined
    paymentId?: string | null | undefined
    limit: number
  }) => [state, paymentId, limit],
)

export type MailDepth = { waiting: number; failed: number; oldestWaitingAt: Date | null }

export async function measureMails(db: Queryable): Promise<MailDepth> {
  const rows = await measure(db, [])
  const of = (state: MailState) => rows.find((row) => row.state === state)
  return {
    waiting: of('waiting')?.count ?? 0,
    failed: of('failed')?.count ?? 0,
    oldestWaitingAt: of('waiting')?.oldestAt ?? null,
  }
}

/** Deletes a batch of mails that are sent or given up and have a smaller id than `beforeId`. Returns how many. */
export const deleteOldMails = statement<{ id: string }>(
  'delete_old_mails',
  `delete from world.mails where id in (
     select id from world.mails where id < $1 and state <> 'waiting' order by id limit $2 for update skip locked) returning id`,
).count((beforeId: string, limit: number) => [beforeId, limit])
