/** The kinds of mails: to buyers, to the operator, and to the owners of shops. */
import type { HealthRecord } from '../accounts/health.ts'
import type { Checkpoint } from '../audit/checkpoints.ts'
import type { CaseRecord } from '../desk/cases.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import { WORDS } from '../rows.ts'

/** `withheld`: its address or its merchant had too many mails. */
export const MAIL_STATES = WORDS['mails.state']
export type MailState = (typeof MAIL_STATES)[number]

/** The fields of every mail. */
const COMMON = fieldsOf('mails', [
  'merchantId',
  'id',
  'state',
  /** How often it was claimed. */
  'attempts',
  'dueAt',
  'failure',
  'createdAt',
  'endedAt',
])
/** The fields of some kinds only. Each kind lists its own. */
const OWN = fieldsOf('mails', ['paymentId', 'kind', 'amountMinor', 'refundedMinor', 'notice'])
type Mail = RecordOf<'mails', typeof COMMON>
export const MAIL_COLUMNS = selected([...COMMON, ...OWN])

export type BuyerMail = Mail & {
  paymentId: string
  /**
   * `refund_failed`: money that an earlier mail called returned did not reach the buyer. `transfer`: where the buyer pays by a
   * transfer.
   */
  kind: 'paid' | 'refunded' | 'refund_failed' | 'transfer' | 'transfer_reminder'
  amountMinor: number
  /** The total that was returned when the mail was made. */
  refundedMinor: number
  notice: null
}

/** A mail to the operator. */
export type NoticeMail = Mail & {
  paymentId: null
  kind: 'account_health' | 'audit_checkpoint'
  amountMinor: null
  refundedMinor: null
  notice: Notice
}

/** A mail to the owner of a shop: what happened to orders, or the test whether somebody reads such mails. */
export type OwnerMail = Mail & {
  paymentId: null
  kind: 'order_news' | 'order_test'
  amountMinor: null
  refundedMinor: null
  notice: OwnerNotice
}

/** Notices to the owner of a shop. `address`: the mails about orders go to another address, and this notice goes to the old one. */
export const SHOP_CHANGES = [
  'address',
  'price',
  'product',
  'callback',
  'event_secret',
  'token',
  'token_issued',
  'token_limit',
  'account',
  'routes',
] as const
export type ShopChange = (typeof SHOP_CHANGES)[number]

/** Notices to a person, at the address of the sign-in. `person_added` and `approval_limit` go to people who may approve. */
export const PERSON_CHANGES = [
  'role',
  'shop',
  'refund_limit',
  'email',
  'sign_in_ended',
  'sign_in_set_up',
  'key',
  'passkey_added',
  'passkey_removed',
  'recovery_codes',
  'removed',
  'person_added',
  'approval_limit',
] as const
export type PersonChange = (typeof PERSON_CHANGES)[number]
export type Change = ShopChange | PersonChange

/** A mail about a change. `change`: absent in rows of earlier versions, which know only `address`. `name`: whom it is about. */
export type AddressMail = Mail & {
  paymentId: null
  kind: 'address_changed'
  amountMinor: null
  refundedMinor: null
  notice: { to: string; locale: string; change?: Change; name?: string }
}

/** A mail to somebody who may approve: a proposal waits. */
export type ApprovalMail = Mail & {
  paymentId: null
  kind: 'approval_waits'
  amountMinor: null
  refundedMinor: null
  notice: { to: string; locale: string; approvalId: string }
}

/** A mail with the link with which a person sets up the sign-in. `digest`: of the link that the mail replaces, in hex. */
export type InvitationMail = Mail & {
  paymentId: null
  kind: 'invitation'
  amountMinor: null
  refundedMinor: null
  notice: { to: string; locale: string; userId: string; digest: string }
}

/** The changes of orders that the mail tells about: the first of them, and how many there are. `to`: where a test goes. */
export type OwnerNotice = { changes?: { orderId: string; number: number }[]; count?: number; to?: string }

/** A mail to the operator about new cases: the first of them, and how many there are. */
export type DeskMail = Mail & {
  paymentId: null
  kind: 'desk_cases'
  amountMinor: null
  refundedMinor: null
  notice: { cases: NoticedCase[]; count: number }
}

/** `since`: ISO 8601. */
export type NoticedCase = Pick<
  CaseRecord,
  'kind' | 'subject' | 'merchantName' | 'paymentId' | 'amountMinor' | 'currency'
> & { since: string }

export type MailRecord =
  | BuyerMail
  | NoticeMail
  | OwnerMail
  | DeskMail
  | AddressMail
  | ApprovalMail
  | InvitationMail

/** What changed, as it was when the notice was made. */
export type Notice = { accounts: AccountNotice[]; checkpoint?: Checkpoint }
export type AccountNotice = Pick<HealthRecord, 'accountId' | 'state' | 'reason'> & {
  route: string
  /** The name of the provider. */
  provider: string
  owner: string | null
  since: string
  unwellSince: string
  /** What the operator can do; null if there is nothing to do. */
  advice: string | null
}
