/** The mails to the owner of a shop: their content, their time, and what the link in each shows. */
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { AppError } from '../errors.ts'
import { setBranding } from '../merchants/branding.ts'
import { TEST_MAILS_AN_HOUR, verifyOrderBook } from '../operator/orders/book.ts'
import { createSession } from '../payments/creation/session.ts'
import { applyStatus } from '../payments/transition.ts'
import { ORDER_BOOK_URL, setCallback } from '../receivers/receiver.ts'
import { type OrderBook, setOrderBook } from '../storage/orders/books.ts'
import { type OrderPayment, storeOrderPayment } from '../storage/orders/payments.ts'
import { insertPaymentWarning, settlePaymentWarnings } from '../storage/payments/payment-warnings.ts'
import { readPage, sessionRequest } from '../testing/calls.ts'
import { openShop, type Shop } from '../testing/harness.ts'
import { decodedHeader, headersOf, partsOf, startMailServer } from '../testing/mail-server.ts'
import { closeAfter, openKassa } from '../testing/scene.ts'
import { type Mails, startMails } from '../worker/mails.ts'
import { CASE_STANDS_MS, notifyOwners, OWNER_MAILS_AN_HOUR } from './news.ts'
import { workOnDue } from './work.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const OWNER = 'potter@shop.example'

let mails: Mails
let shop: Shop
const server = closeAfter(await startMailServer())
const kassa = await openKassa({ settings: { SMTP_URL: server.url, MAIL_FROM: 'orders@pay.example' } })
mails = startMails(kassa.ctx)
afterAll(async () => {
  await mails.stop()
})
beforeEach(async () => {
  // Earlier tests leave no owners with mails.
  if (shop) await tell({ email: null })
  shop = await openShop(kassa.ctx)
  server.arrived.length = 0
})

const now = () => kassa.clock.now()
async function tell(changes: Partial<OrderBook> = {}): Promise<void> {
  const book = { email: OWNER, locale: 'en', told: 'at_once', silent: [] } as const
  await setOrderBook(kassa.ctx.db, { ...book, silent: [], ...changes, merchantId: shop.merchantId }, now())
}

let payments = 0
async function happen(reference: string, facts: Partial<OrderPayment> = {}): Promise<void> {
  const sums = { status: 'paid', amountMinor: 1_900, capturedMinor: 1_900, refundedMinor: 0 } as const
  await storeOrderPayment(
    kassa.ctx.db,
    {
      merchantId: shop.merchantId,
      paymentId: `pay_test_${reference}`,
      reference,
      sequence: ++payments,
      ...sums,
      currency: 'USD',
      buyer: null,
      takenBack: false,
      eventAt: now(),
      ...facts,
    },
    now(),
  )
  while ((await workOnDue(kassa.ctx)) > 0);
}
const giveBack = (reference: string) =>
  happen(reference, { status: 'refunded', refundedMinor: 1_900, takenBack: true })

/** Returns the mails that have arrived since the last call. */
async function collect(): Promise<{ subject: string; text: string }[]> {
  await Promise.all([notifyOwners(kassa.ctx), notifyOwners(kassa.ctx)])
  const waiting = async () => {
    const { rows } = await kassa.ctx.db.query(
      "select count(*)::int as n from sandbox.mails where state = 'waiting' and due_at <= $1",
      [now()],
    )
    return rows[0].n
  }
  while ((await waiting()) > 0) {
    await mails.turn()
    await mails.settle()
  }
  return server.arrived.splice(0).map((mail) => ({
    subject: decodedHeader(headersOf(mail).subject ?? ''),
    text: partsOf(mail).text,
  }))
}
const pageOf = async (text: string) => (await readPage(/http:\S+\/o\/\S+/.exec(text)?.[0] ?? '')).html

/** Moves the clock to the next time at which clocks in the zone show this. */
function waitFor(zone: string, time: string): void {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'short', hourCycle: 'h23' })
  const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))
  const ahead = (minutesOf(time) - minutesOf(clock.format(now())) + 24 * 60) % (24 * 60)
  kassa.clock.advance((ahead === 0 ? 24 * 60 : ahead) * MINUTE_MS)
}

test.each([
  ['without a zone', undefined, 'Asia/Yerevan'],
  ['three quarters off', 'Asia/Kathmandu', 'Asia/Kathmandu'],
  ['on the other side', 'America/Los_Angeles', 'America/Los_Angeles'],
])('the daily mail of a shop %s goes once, at 19:00 there', async (_, timeZone, zone) => {
  if (timeZone) await setBranding(kassa.ctx, shop.merchantId, { timeZone })
  await tell({ told: 'daily' })
  waitFor(zone, '12:00')
  await happen('one')
  await happen('two')
  waitFor(zone, '18:59')
  expect(await collect()).toEqual([])
  kassa.clock.advance(MINUTE_MS)
  expect((await collect()).map(({ subject }) => subject)).toEqual(['[Test mode] News of your orders: 2'])
  await happen('late')
  for (let halves = 0; halves < 4; halves++) {
    kassa.clock.advance(HOUR_MS / 2)
    expect(await collect()).toEqual([])
  }
  waitFor(zone, '19:00')
  expect(await collect()).toHaveLength(1)
})

test('the page behind a daily mail shows what the mail told of: last evening, and what befell older orders', async () => {
  await tell({ told: 'daily', silent: [] })
  waitFor('Asia/Yerevan', '12:00')
  await happen('old-order')
  waitFor('Asia/Yerevan', '19:00')
  expect(await collect()).toHaveLength(1)
  kassa.clock.advance(2 * DAY_MS)
  waitFor('Asia/Yerevan', '21:00')
  await happen('last-evening')
  waitFor('Asia/Yerevan', '12:00')
  await happen('today')
  await giveBack('old-order')
  waitFor('Asia/Yerevan', '19:00')
  const [mail, ...others] = await collect()
  expect(others).toEqual([])
  await happen('after-the-mail')
  const html = await pageOf(mail?.text ?? '')
  for (const reference of ['last-evening', 'today', 'old-order']) expect(html).toContain(reference)
  expect(html).not.toContain('after-the-mail')
  expect(html.match(/data-testid="order"/g)).toHaveLength(3)
})

test('what is silent is not told, later neither', async () => {
  await tell({ silent: ['refund', 'dispute'] })
  await happen('silent')
  expect((await collect()).map(({ subject }) => subject)).toEqual([expect.stringContaining('Sold: ')])
  await happen('silent', { status: 'disputed', takenBack: true })
  await giveBack('silent')
  expect(await collect()).toEqual([])
  await tell({ silent: ['sale', 'case'] })
  expect(await collect()).toEqual([])
  await happen('silent-2')
  await happen('silent-3', { takenBack: true })
  expect(await collect()).toEqual([])
  await tell({ email: null })
  await happen('silent-4')
  await tell()
  expect(await collect()).toEqual([])
})

const TOLD = [
  ['en', 'Sold: ', 'disputes', 'went back to the buyer', 'is yours again'],
  ['ru', 'Продано: ', 'оспаривает', 'возвращено', 'снова ваши'],
  ['hy', 'Վաճառված է', 'վիճարկում է', 'վերադարձվել է', 'կրկին ձերն է'],
] as const
for (const [locale, sold, disputed, returned, again] of TOLD)
  test(`a sale, a dispute and a refund are told in ${locale}`, {
    tags: locale === 'en' ? [] : ['long'],
  }, async () => {
    await tell({ locale })
    await happen('told')
    await happen('told', { status: 'disputed', takenBack: true })
    await happen('told', { status: 'paid', takenBack: true })
    await giveBack('told')
    const subjects = (await collect()).map(({ subject }) => subject)
    expect(subjects).toHaveLength(4)
    for (const word of [sold, disputed, returned, again])
      expect(subjects.filter((each) => each.includes(word) && each.includes('19'))).toHaveLength(1)
  })

/** A payment that the order book knows. */
async function pay(reference: string, to: 'paid' | 'status_unknown'): Promise<string> {
  const { merchantId } = shop
  const request = sessionRequest({ merchantOrderId: reference, provider: 'manual' })
  const { session } = await createSession(kassa.ctx, { merchantId, idempotencyKey: reference, request })
  const capturedMinor = to === 'paid' ? 1_900 : 0
  const money = { authorizedMinor: capturedMinor, capturedMinor, refundedMinor: 0 }
  await applyStatus(kassa.ctx, { merchantId, id: session.id }, { to, money, cause: 'provider' })
  await happen(reference, { paymentId: session.id, status: to, capturedMinor })
  return session.id
}
async function refund(paymentId: string, status: 'requires_operator_review' | 'failed'): Promise<void> {
  await kassa.ctx.db.query(
    `insert into sandbox.operations (merchant_id, id, type, payment_id, attempt, provider, status, amount_minor, currency, scope, key,
       fingerprint, created_at, updated_at)
     values ($1, 'op_' || $2 || $3, 'refund', $2, 1, 'manual', $3, 500, 'USD', $2, $3, 'x', $4, $4)`,
    [shop.merchantId, paymentId, status, now()],
  )
}

const UNDECIDED = [
  ['en', 'Not known yet: ', 'Being looked into: ', 'did not go back', 'Please look: ', 'send nothing'],
  ['ru', 'Пока неизвестно: ', 'Выясняется: ', 'не вернулись', 'Обратите внимание: ', 'ничего не отправляйте'],
  ['hy', 'Դեռ հայտնի չէ', 'Պարզվում է', 'չի վերադարձվել', 'Ուշադրություն', 'ոչինչ մի ուղարկեք'],
] as const
for (const [locale, ...words] of UNDECIDED)
  test(`what the service cannot decide is told once, in ${locale}, and names no command`, {
    tags: locale === 'en' ? [] : ['long'],
  }, async () => {
    const [unknown = '', review = '', failed = '', warned = '', wait = ''] = words
    const about = ['unknown', 'review', 'failed', 'warned'].map((each) => `${each}-${locale}`)
    const [first = '', second = '', third = '', fourth = ''] = about
    await tell({ locale, silent: ['sale'] })
    await pay(first, 'status_unknown')
    await refund(await pay(second, 'paid'), 'requires_operator_review')
    await refund(await pay(third, 'paid'), 'failed')
    const warning = {
      merchantId: shop.merchantId,
      paymentId: await pay(fourth, 'paid'),
      detail: 'money came twice',
    }
    await insertPaymentWarning(kassa.ctx.db, { ...warning, createdAt: now() } as never)
    // A case that is decided a moment later is not sent.
    expect(await collect()).toEqual([])
    kassa.clock.advance(CASE_STANDS_MS)
    const mails = await collect()
    const found = (word: string) => mails.filter(({ subject }) => subject.includes(word))
    for (const word of [unknown, review, failed, warned])
      expect([word, found(word).length]).toEqual([word, 1])
    expect(mails).toHaveLength(4)
    expect(found(unknown)[0]?.text).toContain(wait)
    expect(await pageOf(found(unknown)[0]?.text ?? '')).toContain(wait)
    expect(await pageOf(found(review)[0]?.text ?? '')).toContain(second)
    for (const { text } of mails) expect(text).not.toMatch(/npm run|admin|desk/)
    kassa.clock.advance(HOUR_MS)
    expect(await collect()).toEqual([])
  })

test('a payment that is warned of again after somebody looked is told again, and only then', async () => {
  await tell({ silent: ['sale'] })
  const { merchantId } = shop
  const paymentId = await pay('warned-twice', 'paid')
  const warn = async (detail: string) => {
    await insertPaymentWarning(kassa.ctx.db, { merchantId, paymentId, detail, createdAt: now() })
    kassa.clock.advance(CASE_STANDS_MS)
  }
  const settle = (until: Date | null = null) =>
    settlePaymentWarnings(kassa.ctx.db, paymentId, { at: now(), by: 'Ani', why: 'looked', until })
  await warn('first')
  const first = await collect()
  expect(first).toHaveLength(1)
  // Somebody who has not looked yet sees the second one with the first.
  await warn('second')
  expect(await collect()).toEqual([])
  await settle()
  for (const detail of ['third', 'fourth']) {
    await warn(detail)
    expect([detail, (await collect()).map(({ subject }) => subject)]).toEqual([
      detail,
      [expect.stringContaining('Please look')],
    ])
    await Promise.all([notifyOwners(kassa.ctx), notifyOwners(kassa.ctx)])
    expect([detail, await collect()]).toEqual([detail, []])
    await settle()
  }
  expect(await pageOf(first[0]?.text ?? '')).toContain('warned-twice')
  await warn('at a time when nobody wants to know')
  await settle()
  expect(await collect()).toEqual([])
})

test('cases come with the daily mail, are not told where they are silent, and keep to the limit of an hour', async () => {
  await tell({ silent: ['sale', 'case'] })
  await pay('quiet', 'status_unknown')
  kassa.clock.advance(CASE_STANDS_MS)
  expect(await collect()).toEqual([])
  await tell({ told: 'daily' })
  waitFor('Asia/Yerevan', '12:00')
  await pay('daily', 'status_unknown')
  await happen('sold-with-it')
  kassa.clock.advance(HOUR_MS)
  expect(await collect()).toEqual([])
  waitFor('Asia/Yerevan', '19:00')
  const [mail, ...others] = await collect()
  expect([mail?.subject, others]).toEqual([expect.stringContaining('News of your orders'), []])
  const html = await pageOf(mail?.text ?? '')
  expect([html.includes('Not known yet'), html.includes('sold-with-it')]).toEqual([true, true])
  await tell()
  kassa.clock.advance(2 * HOUR_MS)
  for (let at = 0; at < OWNER_MAILS_AN_HOUR + 3; at++) await pay(`many-${at}`, 'status_unknown')
  kassa.clock.advance(CASE_STANDS_MS)
  expect(await collect()).toHaveLength(OWNER_MAILS_AN_HOUR)
  expect(await collect()).toEqual([])
})

test('test mails are few: of a shop, and to an address that several shops name, however they press', async () => {
  await tell()
  const press = async (of = shop) => {
    const pressed = verifyOrderBook(kassa.ctx, of.merchantId).then(() => 'sent')
    return pressed.catch((error: AppError) => error.details?.reason ?? String(error))
  }
  await setCallback(kassa.ctx, shop.merchantId, ORDER_BOOK_URL)
  const pressed = await Promise.all(Array.from({ length: 6 }, () => press()))
  const expected = Array.from({ length: 6 }, (_, at) =>
    at < TEST_MAILS_AN_HOUR ? 'sent' : 'test_mails_spent',
  )
  expect(pressed.toSorted()).toEqual(expected)
  expect(await collect()).toHaveLength(TEST_MAILS_AN_HOUR)
  // Another spelling of the same address, at another shop.
  const [first, other] = [shop, await openShop(kassa.ctx)]
  shop = other
  await setCallback(kassa.ctx, other.merchantId, ORDER_BOOK_URL)
  await tell({ email: 'P.otter+x@shop.example' })
  expect([await press(other), await press(first)]).toEqual(['test_mails_spent', 'test_mails_spent'])
  kassa.clock.advance(HOUR_MS + 1)
  expect(await press(other)).toBe('sent')
  await tell({ email: 'stranger@shop.example' })
  // The mail was for the address before.
  expect(await collect()).toEqual([])
})
