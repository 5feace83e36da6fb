/**
 * Sends the mails that are due. The mails have places of their own, so a mail server that hangs delays nothing but mail.
 * Rule: a mail is sent at least once. A worker that dies between the server's yes and its note leaves a mail that is sent again, with
 * the same Message-ID.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { linkForMail } from '../access/invitation.ts'
import { findAccount } from '../accounts/choice.ts'
import { type Context, jitter } from '../context.ts'
import { writeApprovalWaits } from '../mail/approval-waits.ts'
import { writeChange } from '../mail/changes/change.ts'
import { writeInvitation } from '../mail/invitation.ts'
import { writeNotice } from '../mail/notice.ts'
import { writeOwnerMail } from '../mail/owner.ts'
import { writeReceipt } from '../mail/receipt.ts'
import { LIMITS, type Limits, type Message, type SendResult, sendMessage } from '../mail/smtp.ts'
import { writeTransfer } from '../mail/transfer.ts'
import { getApproval } from '../operator/approvals/approval.ts'
import { dayIn } from '../operator/orders/orders.ts'
import { LISTED_MAX } from '../orders/news.ts'
import { canExpire } from '../payments/status.ts'
import { transferOf } from '../payments/transfers/transfer.ts'
import {
  type ApprovalMail,
  type BuyerMail,
  claimDueMails,
  type DeskMail,
  type InvitationMail,
  type MailOutcome,
  type MailRecord,
  type NoticeMail,
  type OwnerMail,
  updateMail,
} from '../storage/mails/mails.ts'
import { findOrderBook } from '../storage/orders/books.ts'
import { listCasesOfMail } from '../storage/orders/cases.ts'
import type { AttemptedPayment, Payment } from '../storage/payments/payment.ts'
import { findPayment } from '../storage/payments/payments.ts'
import { listReceipts } from '../storage/payments/receipts.ts'
import { mayTest, overLimit } from './mail-limits.ts'
import { linkForOwner } from './owner-link.ts'

/** How many mails one process sends at once. */
const AT_ONCE = 4
/** Longer than a conversation may take, so that no mail is claimed twice while it is sent. */
export const LEASE_MS = LIMITS.wholeMs + 2 * 60_000
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** The pause after each attempt. After the last attempt the mail is given up, two days after the first. */
export const PAUSES_MS = [1, 5, 15, 30]
  .map((minutes) => minutes * MINUTE_MS)
  .concat([1, 2, 4, 8, 12, 20].map((hours) => hours * HOUR_MS))
const JITTER = 0.1
/** A mail waits for the fiscal receipt that belongs into it, but not for a cash register that is broken. */
const FISCAL_PATIENCE_MS = 10 * MINUTE_MS
const FISCAL_PAUSE_MS = 15_000
const NOTE_PAUSES_MS = [200, 1_000, 5_000]

export type Mails = { turn(): Promise<void>; settle(): Promise<void>; stop(): Promise<void> }

export function startMails(ctx: Context, limits: Limits = LIMITS): Mails {
  const underWay = new Set<Promise<void>>()
  const stopping = new AbortController()
  const begin = (mail: MailRecord) => {
    const done: Promise<void> = sendOne(ctx, mail, { limits, stop: stopping.signal })
      .catch((error: unknown) => ctx.log.error({ err: error, mailId: mail.id }, 'a mail was not sent'))
      .finally(() => underWay.delete(done))
    underWay.add(done)
  }
  return {
    /** Begins to send what is due, as far as there are places, and waits for none of it. */
    async turn() {
      const limit = AT_ONCE - underWay.size
      if (!ctx.config.smtpServer || limit <= 0 || stopping.signal.aborted) return
      const now = ctx.clock.now()
      const leaseUntil = new Date(now.getTime() + LEASE_MS)
      for (const mail of await claimDueMails(ctx.db, { now, leaseUntil, limit })) begin(mail)
    },
    async settle() {
      await Promise.all(underWay)
    },
    /** Ends the conversations that are under way. */
    async stop() {
      stopping.abort()
      await Promise.all(underWay)
    },
  }
}

async function sendOne(
  ctx: Context,
  mail: MailRecord,
  { limits, stop }: { limits: Limits; stop: AbortSignal },
): Promise<void> {
  const server = ctx.config.smtpServer
  if (!server) return
  const ready = await prepare(ctx, mail)
  if ('outcome' in ready) return note(ctx, mail, ready.outcome)
  const sent = await sendMessage(server, ready.message, { limits, stop })
  ctx.metrics.mailed(sent.kind)
  if (sent.kind !== 'accepted')
    ctx.log.warn({ ...idsOf(mail), attempt: mail.attempts, why: sent.message }, 'a mail was not sent')
  await note(ctx, mail, outcomeOf(ctx, mail, sent, stop.aborted))
}

/** A message to send, or what becomes of the mail without one. */
type Ready = { message: Message } | { outcome: MailOutcome }

function prepare(ctx: Context, mail: MailRecord): Promise<Ready> {
  switch (mail.kind) {
    case 'order_news':
    case 'order_test':
      return prepareForOwner(ctx, mail)
    case 'address_changed':
      return writeChange(ctx, mail).then((message) => ({ message }))
    case 'approval_waits':
      return prepareProposal(ctx, mail)
    case 'invitation':
      return prepareInvitation(ctx, mail)
    case 'desk_cases':
    case 'account_health':
    case 'audit_checkpoint':
      return prepareNotice(ctx, mail)
    case 'paid':
    case 'refunded':
    case 'refund_failed':
    case 'transfer':
    case 'transfer_reminder':
      return prepareReceipt(ctx, mail)
    default:
      // The claim ends, and a process of the version that knows the kind sends it.
      throw new Error(`This version knows no mail of the kind ${(mail as MailRecord).kind}.`)
  }
}

/** A mail that is sent again has another link, because nobody can read the first one again. */
async function prepareForOwner(ctx: Context, mail: OwnerMail): Promise<Ready> {
  const { merchantId, notice, createdAt } = mail
  const orderBook = await findOrderBook(ctx.db, merchantId)
  if (!orderBook || orderBook.email === null)
    return { outcome: end(ctx, 'failed', 'The order book has no address any more.') }
  if (mail.kind === 'order_test' && !(await mayTest(ctx, mail, orderBook.email)))
    return {
      outcome: end(ctx, 'withheld', 'The address was changed, or had too many test mails within the hour.'),
    }
  const cases = await listCasesOfMail(ctx.db, { merchantId, mailId: mail.id, limit: LISTED_MAX })
  const [only] = [...cases, ...(notice.changes ?? [])]
  const orderId = notice.count === 1 && only ? only.orderId : null
  const isList = mail.kind !== 'order_test' && orderId === null
  const day = isList ? await dayIn(ctx, merchantId, createdAt) : null
  const about = { merchantId, to: orderBook.email, orderId, day, mailId: isList ? mail.id : null }
  const { link, isSecret } = await linkForOwner(ctx, about)
  const address = `${link}${link.includes('?') ? '&' : '?'}${new URLSearchParams({ locale: orderBook.locale })}`
  return {
    message: await writeOwnerMail(ctx, mail, { orderBook, to: about.to, link: address, isSecret, cases }),
  }
}

async function prepareNotice(ctx: Context, mail: NoticeMail | DeskMail): Promise<Ready> {
  const to = ctx.config.operatorEmail
  if (to) return { message: await writeNotice(ctx, mail, to) }
  return { outcome: end(ctx, 'failed', 'OPERATOR_EMAIL is no longer set.') }
}

/** Nobody hears of a proposal that somebody has decided meanwhile. */
async function prepareProposal(ctx: Context, mail: ApprovalMail): Promise<Ready> {
  const approval = await getApproval(ctx, mail.notice.approvalId)
  if (approval.proposal.state === 'open' && !approval.isExpired)
    return { message: writeApprovalWaits(ctx, mail, approval) }
  return { outcome: end(ctx, 'withheld', 'The proposal was decided, or has expired.') }
}

async function prepareInvitation(ctx: Context, mail: InvitationMail): Promise<Ready> {
  const link = await linkForMail(ctx, mail)
  if (link !== null) return { message: writeInvitation(ctx, mail, link) }
  return { outcome: end(ctx, 'withheld', 'The link was used or replaced, or has expired.') }
}

async function prepareReceipt(ctx: Context, mail: BuyerMail): Promise<Ready> {
  const payment = await findPayment(ctx.db, mail.merchantId, mail.paymentId)
  const to = payment?.customer?.email
  if (!payment || !to) return { outcome: end(ctx, 'failed', "The buyer's address is no longer stored.") }
  if (await waitsForReceipt(ctx, mail, payment)) return { outcome: later(ctx, FISCAL_PAUSE_MS, null) }
  const excess = await overLimit(ctx, mail, to)
  if (!excess) return messageOf(ctx, mail, payment, to)
  ctx.metrics.mailed('withheld')
  ctx.log.warn({ ...idsOf(mail), why: excess }, 'a mail was withheld')
  return { outcome: { ...end(ctx, 'withheld', excess), untried: true } }
}

async function messageOf(
  ctx: Context,
  mail: BuyerMail,
  payment: AttemptedPayment,
  to: string,
): Promise<Ready> {
  if (mail.kind !== 'transfer' && mail.kind !== 'transfer_reminder')
    return { message: await writeReceipt(ctx, { ...mail, kind: mail.kind }, payment, to) }
  const account = await findAccount(ctx, payment.attempt.accountId)
  const transfer = account && canExpire(payment.status) ? transferOf(account, payment) : null
  if (transfer?.account) return { message: await writeTransfer(ctx, mail, { payment, transfer, to }) }
  return { outcome: end(ctx, 'failed', 'The payment no longer waits for a transfer.') }
}

const idsOf = ({ id: mailId, paymentId }: MailRecord) => ({ mailId, ...(paymentId && { paymentId }) })

function outcomeOf(ctx: Context, { attempts }: MailRecord, sent: SendResult, isEnding: boolean): MailOutcome {
  if (sent.kind === 'accepted') return end(ctx, 'sent', null)
  // The server has not accepted the mail, so another worker may send it at once.
  if (isEnding && sent.unsent) return later(ctx, 0, null)
  const pauseMs = PAUSES_MS[attempts - 1]
  if (sent.kind === 'refused' || pauseMs === undefined) return end(ctx, 'failed', sent.message)
  const { untried: _, ...again } = later(ctx, pauseMs * (1 + JITTER * jitter()), sent.message)
  return again
}

const end = (ctx: Context, state: 'sent' | 'failed' | 'withheld', failure: string | null): MailOutcome => ({
  state,
  failure,
  dueAt: null,
  endedAt: ctx.clock.now(),
})

const later = (ctx: Context, ms: number, failure: string | null): MailOutcome => ({
  state: 'waiting',
  failure,
  dueAt: new Date(ctx.clock.now().getTime() + ms),
  endedAt: null,
  untried: true,
})

async function waitsForReceipt(
  ctx: Context,
  mail: MailRecord,
  { merchantId, id }: Payment,
): Promise<boolean> {
  if (ctx.clock.now().getTime() >= mail.createdAt.getTime() + FISCAL_PATIENCE_MS) return false
  const receipts = await listReceipts(ctx.db, merchantId, id)
  return receipts.some(({ status }) => status === 'waiting' || status === 'printing')
}

/** A note that is lost sends the mail twice, so a database that is away for a moment is asked again. */
async function note(ctx: Context, mail: MailRecord, outcome: MailOutcome): Promise<void> {
  for (const pauseMs of NOTE_PAUSES_MS) {
    try {
      await updateMail(ctx.db, mail, outcome)
      return
    } catch (error) {
      ctx.log.warn({ err: error, mailId: mail.id }, 'what became of a mail could not be stored yet')
      await sleep(pauseMs)
    }
  }
  await updateMail(ctx.db, mail, outcome)
}
