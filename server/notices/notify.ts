/**
 * Tells people by mail what somebody has changed that decides where money or news go, or who may move money.
 * Rule: the mail is stored in the transaction of the change, and goes to the address as it was before. So nobody redirects anything
 * unnoticed. It names no secret and no new address.
 */
import type { Context } from '../context.ts'
import { NO_MERCHANT, newId, oldestId } from '../id.ts'
import { listUsers, type UserRecord } from '../storage/access/users.ts'
import type { Tx } from '../storage/db.ts'
import type { PersonChange, ShopChange } from '../storage/mails/mail.ts'
import {
  type AddressMail,
  type ApprovalMail,
  countNoticesTo,
  type InvitationMail,
  insertNotice,
} from '../storage/mails/mails.ts'
import { findOrderBook } from '../storage/orders/books.ts'

const HOUR_MS = 3_600_000
/** For one kind of change to one address: many changes of a price must not hide another change. */
const MAILS_AN_HOUR = 5
/** For proposals to one address. A person with more looks at the list. */
const PROPOSALS_AN_HOUR = 20
/** A shop without an address for mails about orders has few people. */
const PEOPLE_MAX = 10

/** Of the first person of an installation, until somebody writes another one. No mail server knows whose it is. */
const NO_MAILBOX = /@(?:[^@]+\.)?localhost$/i

type Recipient = { email: string; locale: string }
type NoticedPerson = Pick<UserRecord, 'id' | 'email' | 'merchantId'>

/** `recipient`: who gets the mail; the shop's address for mails about orders if it is absent, or else the people of the shop. */
export async function notifyOwner(
  ctx: Context,
  tx: Tx,
  merchantId: string,
  change: ShopChange,
  recipient?: Recipient,
): Promise<void> {
  ctx.log.warn({ merchantId, change }, 'a setting has changed that its owner is told of')
  if (!ctx.config.smtpServer) return
  const recipients = recipient ? [recipient] : await ownersOf(ctx, tx, merchantId)
  for (const each of recipients) await storeChange(ctx, tx, { merchantId, change, to: each })
}

/** `people`: everybody who is told, each as before the change. `name`: whom it is about. */
export async function notifyPeople(
  ctx: Context,
  tx: Tx,
  people: readonly NoticedPerson[],
  { change, name }: { change: PersonChange; name?: string },
): Promise<void> {
  if (people.length === 0) return
  ctx.log.warn({ people: people.map(({ id }) => id), change }, 'a change that people are told of')
  if (!ctx.config.smtpServer) return
  for (const person of people) {
    const to = { email: person.email, locale: await localeOf(ctx, tx, person) }
    await storeChange(ctx, tx, { merchantId: NO_MERCHANT, change, to, name })
  }
}

async function ownersOf(ctx: Context, tx: Tx, merchantId: string): Promise<Recipient[]> {
  const orderBook = await findOrderBook(tx, merchantId)
  if (orderBook?.email) return [{ email: orderBook.email, locale: orderBook.locale }]
  const locale = orderBook?.locale ?? ctx.config.operatorLocale
  const people = (await listUsers(tx)).filter(
    (each) => each.role === 'shop' && each.merchantId === merchantId,
  )
  return people.slice(0, PEOPLE_MAX).map(({ email }) => ({ email, locale }))
}

/** People of a shop read the language of its mails. */
async function localeOf(ctx: Context, tx: Tx, { merchantId }: NoticedPerson): Promise<string> {
  const orderBook = merchantId === null ? null : await findOrderBook(tx, merchantId)
  return orderBook?.locale ?? ctx.config.operatorLocale
}

type ChangeNotice = {
  merchantId: string
  change: PersonChange | ShopChange
  to: Recipient
  name?: string | undefined
}

async function storeChange(
  ctx: Context,
  tx: Tx,
  { merchantId, change, to, name }: ChangeNotice,
): Promise<void> {
  const notice = { to: to.email, locale: to.locale, change, ...(name !== undefined && { name }) }
  const mail = { merchantId, kind: 'address_changed', notice } as const
  await storeNotice(ctx, tx, mail, { change, hourlyMax: MAILS_AN_HOUR })
}

/** Tells everybody who may approve that a proposal waits, in the transaction that stores the proposal. */
export async function notifyOfProposal(
  ctx: Context,
  tx: Tx,
  people: readonly NoticedPerson[],
  approvalId: string,
): Promise<void> {
  if (!ctx.config.smtpServer) return
  for (const person of people) {
    const notice = { to: person.email, locale: await localeOf(ctx, tx, person), approvalId }
    const mail = { merchantId: NO_MERCHANT, kind: 'approval_waits', notice } as const
    await storeNotice(ctx, tx, mail, { change: null, hourlyMax: PROPOSALS_AN_HOUR })
  }
}

/** Sends the person a link to set up the sign-in. `digest`: of the link that there is, in hex. Returns false if no mail goes. */
export async function tellOfLink(
  ctx: Context,
  tx: Tx,
  person: NoticedPerson,
  digest: string,
): Promise<boolean> {
  const { id: userId, email } = person
  const notice = { to: email, locale: await localeOf(ctx, tx, person), userId, digest }
  const mail = { merchantId: NO_MERCHANT, kind: 'invitation', notice } as const
  return storeNotice(ctx, tx, mail, { change: null, hourlyMax: MAILS_AN_HOUR })
}

type Notice =
  | Pick<AddressMail, 'merchantId' | 'kind' | 'notice'>
  | Pick<ApprovalMail, 'merchantId' | 'kind' | 'notice'>
  | Pick<InvitationMail, 'merchantId' | 'kind' | 'notice'>

/** `change`: only mails about it count. Returns false if the address has had too many of them, or has no mailbox. */
async function storeNotice(
  ctx: Context,
  tx: Tx,
  mail: Notice,
  { change, hourlyMax }: { change: AddressMail['notice']['change'] | null; hourlyMax: number },
): Promise<boolean> {
  if (NO_MAILBOX.test(mail.notice.to)) return false
  const now = ctx.clock.now()
  const since = oldestId(ctx.world, 'mal', new Date(now.getTime() - HOUR_MS))
  const { merchantId, kind } = mail
  const sent = await countNoticesTo(tx, {
    merchantId,
    kind,
    since,
    to: mail.notice.to,
    change: change ?? null,
  })
  if (sent >= hourlyMax) return false
  await insertNotice(tx, { ...mail, id: newId(ctx.world, 'mal', merchantId, now), createdAt: now })
  return true
}
