/** Says how the owner of an order book is told, and verifies that somebody reads the news. */
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { newId, oldestId } from '../../id.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { findTestPayment } from '../../merchants/onboarding.ts'
import { expectSeen } from '../../merchants/version.ts'
import { notifyOwner } from '../../notices/notify.ts'
import { makeLink } from '../../orders/link.ts'
import { handOver } from '../../orders/receive.ts'
import { type Verified, verifyCallback } from '../../receivers/check.ts'
import { noteVerified, ORDER_BOOK_URL } from '../../receivers/receiver.ts'
import { inTransaction, type Queryable } from '../../storage/db.ts'
import { listReceiversAt } from '../../storage/events/receivers.ts'
import { countMailsSince, countMailsTo, insertNotice } from '../../storage/mails/mails.ts'
import { lockMerchant } from '../../storage/merchants/merchants.ts'
import { findOrderBook, type OrderBook, setOrderBook } from '../../storage/orders/books.ts'
import { NEWS, type News } from '../../storage/orders/orders.ts'
import { hasNewestEvents } from '../../storage/orders/payments.ts'

export type { OrderBook } from '../../storage/orders/books.ts'

const EMAIL = /^[^\s@<>]{1,64}@[^\s@<>]{3,95}$/
const HOUR_MS = 3_600_000
/** The limit of test mails to one address, and of those of one merchant. */
export const TEST_MAILS_AN_HOUR = 3
/** Sorts after every id. */
const LAST_ID = '~'
const WITHOUT_NOTICES = { email: null, locale: 'en', told: 'at_once', silent: [] } as const

/** What to change. Null for `email` ends the mails. */
export type OrderBookChanges = {
  [Field in 'email' | 'locale' | 'told']?: OrderBook[Field] | undefined
} & { silent?: News[] | undefined }

/** Returns how the merchant is told about its orders. @throws AppError not_found */
export async function getOrderBook(ctx: Context, merchantId: string): Promise<OrderBook> {
  await getMerchant(ctx, merchantId)
  return storedBook(ctx.db, merchantId)
}

/**
 * Changes how the merchant is told. `seen`: the version that the change was decided about.
 * @throws AppError validation_failed for an address that is none, or if the settings have another version by now; not_found
 */
export async function changeOrderBook(
  ctx: Context,
  merchantId: string,
  wish: OrderBookChanges,
  { seen }: { seen?: string | undefined } = {},
): Promise<OrderBook> {
  const given = Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined))
  await getMerchant(ctx, merchantId)
  if (wish.email && !EMAIL.test(wish.email))
    throw new AppError('validation_failed', {
      reason: 'mail_wrong',
      message: `"${wish.email}" is not an e-mail address.`,
    })
  return inTransaction(ctx.db, async (tx) => {
    await lockMerchant(tx, merchantId)
    const stored = await findOrderBook(tx, merchantId)
    const before = stored ?? unstoredBook(merchantId)
    const orderBook: OrderBook = { ...before, ...given }
    // An unchanged value is stored too, because it says that somebody has decided it.
    if (seen !== undefined && stored && isDeepStrictEqual(before, orderBook)) return orderBook
    if (seen !== undefined) expectSeen(before, seen)
    await setOrderBook(tx, orderBook, ctx.clock.now())
    if (before.email !== null && before.email !== orderBook.email)
      await notifyOwner(ctx, tx, merchantId, 'address', { email: before.email, locale: before.locale })
    return orderBook
  })
}

const storedBook = async (db: Queryable, merchantId: string): Promise<OrderBook> =>
  (await findOrderBook(db, merchantId)) ?? unstoredBook(merchantId)

const unstoredBook = (merchantId: string): OrderBook => ({ merchantId, ...WITHOUT_NOTICES, silent: [] })

/** What the mails are about, without what is silent. */
export const newsWithNotice = ({ silent }: OrderBook): News[] => NEWS.filter((each) => !silent.includes(each))

export type OrderBookCheck = {
  checks: Verified
  /** Where the test mail goes. Null: no mail is sent, so the caller gets the link. */
  mailedTo: string | null
  link: string | null
  /** Why no mail is sent, if the owner has an address. */
  noMailServer: boolean
}

/** Limits these mails, because they could fill the mailbox of a stranger. @throws AppError validation_failed after too many */
async function sendTestMail(ctx: Context, merchantId: string, to: string): Promise<void> {
  const now = ctx.clock.now()
  const id = newId(ctx.world, 'mal', merchantId, now)
  const since = oldestId(ctx.world, 'mal', new Date(now.getTime() - HOUR_MS))
  const kind = 'order_test'
  await inTransaction(ctx.db, async (tx) => {
    // The lock makes concurrent presses count each other's mails.
    await lockMerchant(tx, merchantId)
    const ofMerchant = await countMailsSince(tx, { merchantId, kind, id: since })
    const toAddress = await countMailsTo(tx, { to, kind, since, before: LAST_ID })
    if (Math.max(ofMerchant, toAddress) >= TEST_MAILS_AN_HOUR)
      throw new AppError('validation_failed', {
        reason: 'test_mails_spent',
        message: `There are at most ${TEST_MAILS_AN_HOUR} test mails an hour. Look for them in the mailbox, among unwanted mail too. Try again in an hour.`,
      })
    await insertNotice(tx, { merchantId, id, kind, notice: { to }, createdAt: now, to })
  })
}

/**
 * Sends the order book the test events of a callback URL, and its owner a test mail with a link. The order book is verified once
 * somebody has pressed the button on the page behind the link, which shows the test payment.
 * @throws AppError validation_failed if events do not go to the order book, or after too many test mails; not_found
 */
export async function verifyOrderBook(ctx: Context, merchantId: string): Promise<OrderBookCheck> {
  const checks = await verifyCallback(ctx, merchantId, {
    post: async (_url, request) => (await handOver(ctx, merchantId, request)).exchange,
    provesByItself: false,
  })
  const { email } = await getOrderBook(ctx, merchantId)
  const noMailServer = !ctx.config.smtpServer
  if (email !== null && !noMailServer) {
    await sendTestMail(ctx, merchantId, email)
    return { checks, mailedTo: email, link: null, noMailServer }
  }
  const link = await inTransaction(ctx.db, (tx) =>
    makeLink(ctx, tx, { merchantId, orderId: null, day: null }),
  )
  return { checks, mailedTo: null, link, noMailServer }
}

/**
 * Somebody has seen the test payment on a page of the order book. `inConsole`: without the link of a test mail, which counts only
 * where no mail can be sent. Returns false if there is no test payment yet.
 * @throws AppError validation_failed if the link of the mail is needed; not_found
 */
export async function confirmTest(
  ctx: Context,
  merchantId: string,
  { inConsole }: { inConsole: boolean },
): Promise<boolean> {
  if (inConsole && (await canMail(ctx, merchantId)))
    throw new AppError('validation_failed', { message: 'Open the link of the test mail, and confirm there.' })
  if ((await findTestPayment(ctx, merchantId)) === null) return false
  if (await usesOrderBook(ctx, merchantId))
    await noteVerified(ctx, { merchantId, url: ORDER_BOOK_URL }, { isProved: true })
  return true
}

/** Whether the owner of the shop has an address, and mails can be sent. */
export async function canMail(ctx: Context, merchantId: string): Promise<boolean> {
  return Boolean(ctx.config.smtpServer) && (await getOrderBook(ctx, merchantId)).email !== null
}

/** Whether the merchant's events of this world go to the order book. @throws AppError not_found */
export async function usesOrderBook(ctx: Context, merchantId: string): Promise<boolean> {
  return (await getMerchant(ctx, merchantId)).callbackUrl === ORDER_BOOK_URL
}

/**
 * Whether the order book keeps the orders of the merchant: events go there, or the merchant's own program hands them on, as the demo
 * shop does. @throws AppError not_found
 */
export async function keepsOrders(ctx: Context, merchantId: string): Promise<boolean> {
  return (await usesOrderBook(ctx, merchantId)) || hasNewestEvents(ctx.db, merchantId)
}

/** Returns the merchants whose events of this world go to the order book. */
export async function listOrderBooks({ db }: Context): Promise<string[]> {
  return listReceiversAt(db, ORDER_BOOK_URL)
}
