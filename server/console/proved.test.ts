/** The second factor counts for a quarter of an hour, for acts of its kind, and for redirecting acts in its own network. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { networkOf } from '../access/proved.ts'
import { changeOrderBook, getOrderBook } from '../operator/orders/book.ts'
import { findProduct } from '../storage/merchants/products.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { createSession, payAtBank, sessionRequest } from '../testing/calls.ts'
import {
  type Desk,
  forgetProofs,
  hiddenIn,
  openAs,
  startDesk,
  type TestBrowser,
  withPasskey,
} from '../testing/console.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { SWEEPS } from '../worker/sweeps.ts'

let kassa: Kassa
let desk: Desk
let shop: Shop
let id: string
/** The same session, without and with its owner's passkey. */
let thief: TestBrowser
let owner: TestBrowser
let orders = 0
beforeAll(async () => {
  kassa = await startKassa()
  desk = await startDesk(kassa.worlds)
  shop = await openShop(kassa.ctx)
  const opened = await openAs(kassa.ctx, desk, { role: 'administrator', email: 'ani@pay.example' })
  id = opened.id
  thief = opened.browser
  owner = await withPasskey(kassa.ctx, desk, opened)
})
afterAll(async () => {
  await desk.close()
  await kassa.close()
})
beforeEach(() => forgetProofs(kassa.ctx, id))

async function paid(): Promise<string> {
  const key = `proved-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, amountMinor: 45_000 })
  const { body: session } = await createSession(kassa.url, shop, { key, body })
  await payAtBank(session.providerCheckoutUrl, 'paid')
  return session.id
}
/** Both presses of a refund of everything, without any limit. */
async function refund(browser: TestBrowser, payment: string) {
  const path = `/sandbox/payments/${payment}/refund`
  const first = await browser.post(path, {
    ...hiddenIn((await browser.get(path)).text),
    amount: '450',
    why: 'x',
  })
  return browser.post(path, hiddenIn(first.text))
}
const notices = () => `/sandbox/shops/${shop.merchantId}/notices`
async function redirectMails(browser: TestBrowser, email: string) {
  const form = { ...hiddenIn((await browser.get(notices())).text), email, when: 'at_once' }
  return browser.post(notices(), form)
}
async function price(browser: TestBrowser, amount: string) {
  const path = `/sandbox/shops/${shop.merchantId}/products/tea`
  return browser.post(`${path}/price`, { ...hiddenIn((await browser.get(path)).text), price: amount })
}
const isAsked = ({ status, text }: { status: number; text: string }) =>
  status === 422 && text.includes('class="again"')
const mail = async () => (await getOrderBook(kassa.ctx, shop.merchantId)).email

test('a stolen session returns no money, redirects no mails and changes no price', async () => {
  const payment = await paid()
  expect(isAsked(await refund(thief, payment))).toBe(true)
  expect(isAsked(await redirectMails(thief, 'thief@bad.example'))).toBe(true)
  await SWEEPS.moneyOperations(kassa.ctx)
  expect((await findPaymentById(kassa.ctx.db, payment))?.refundedMinor).toBe(0)
  expect(await mail()).toBeNull()
  const product = await findProduct(kassa.ctx.db, shop.merchantId, 'tea')
  if (product) expect(isAsked(await price(thief, '0.01'))).toBe(true)
  expect(await findProduct(kassa.ctx.db, shop.merchantId, 'tea')).toEqual(product)
})

test('what was shown once holds for acts of its kind, and for no other kind', async () => {
  expect((await refund(owner, await paid())).status).toBe(303)
  expect((await refund(thief, await paid())).status).toBe(303)
  expect(isAsked(await redirectMails(thief, 'thief@bad.example'))).toBe(true)
  expect((await redirectMails(owner, 'owner@shop.example')).status).toBe(303)
  expect((await redirectMails(thief, 'again@shop.example')).status).toBe(303)
  expect(await mail()).toBe('again@shop.example')
  await forgetProofs(kassa.ctx, id)
  expect(isAsked(await refund(thief, await paid()))).toBe(true)
})

test('another network asks for redirecting acts alone', async () => {
  await refund(owner, await paid())
  await redirectMails(owner, 'one@shop.example')
  await kassa.ctx.db.query(`update kassa.console_sessions set redirect_network = '10.1.2'`)
  expect(isAsked(await redirectMails(thief, 'thief@bad.example'))).toBe(true)
  expect((await refund(thief, await paid())).status).toBe(303)
})

test('a session of the version before, which knows of no second factor, is asked', async () => {
  await kassa.ctx.db.query(
    'update kassa.console_sessions set money_proved_at = null, redirect_proved_at = null, redirect_network = null',
  )
  expect(isAsked(await refund(thief, await paid()))).toBe(true)
  expect(isAsked(await redirectMails(thief, 'thief@bad.example'))).toBe(true)
})

test('the network of an address is its /24, or its /48', () => {
  expect([networkOf('192.0.2.77'), networkOf('2001:db8:7:1::/64')]).toEqual(['192.0.2', '2001:db8:7'])
})

test('the old address is told when the mails about orders go elsewhere', async () => {
  const told = await startKassa({
    settings: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'pay@pay.example' },
  })
  const { merchantId } = await openShop(told.ctx)
  await changeOrderBook(told.ctx, merchantId, { email: 'old@shop.example', locale: 'ru' })
  await changeOrderBook(told.ctx, merchantId, { email: 'new@shop.example' })
  const { rows } = await told.ctx.db.query(`select notice from sandbox.mails where kind = 'address_changed'`)
  expect(rows).toEqual([{ notice: { to: 'old@shop.example', locale: 'ru', change: 'address' } }])
  await told.close()
})
