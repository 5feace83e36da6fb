/** The second factor counts for a quarter of an hour, for acts of its kind, and for redirecting acts in its own network. */
import sharp from 'sharp'
import { beforeEach, expect, test } from 'vitest'
import { FACTOR_VALID_MS, isFactorFresh } from '../access/factor-times.ts'
import { systemClock } from '../context.ts'
import { networkOf } from '../limits/network.ts'
import { listProducts } from '../merchants/product.ts'
import { changeOrderBook, getOrderBook } from '../operator/orders/book.ts'
import { findProduct } from '../storage/merchants/products.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { addPhone, forgetProofs, hiddenIn, showing, shownIn, type TestBrowser } from '../testing/console.ts'
import { openShop, startKassa } from '../testing/harness.ts'
import { openConsole } from '../testing/scene/console.ts'
import { SWEEPS } from '../worker/sweeps.ts'

const { kassa, desk, shop, signInAs, buy } = await openConsole()
const opened = await signInAs('administrator')
const id = opened.id
/** The same session, without and with its owner's passkey. */
const thief = opened.browser
const phone = await addPhone(kassa.ctx, desk, id)
const owner = showing(thief, phone, desk)
beforeEach(() => forgetProofs(kassa.ctx, id))

async function paid(): Promise<string> {
  return buy({ amountMinor: 45_000 })
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
const wantsProof = ({ status, text }: { status: number; text: string }) =>
  status === 422 && text.includes('class="again"')
const mail = async () => (await getOrderBook(kassa.ctx, shop.merchantId)).email

test('a stolen session returns no money, redirects no mails and changes no price', async () => {
  const payment = await paid()
  expect(wantsProof(await refund(thief, payment))).toBe(true)
  expect(wantsProof(await redirectMails(thief, 'thief@bad.example'))).toBe(true)
  await SWEEPS.moneyOperations(kassa.ctx)
  expect((await findPaymentById(kassa.ctx.db, payment))?.refundedMinor).toBe(0)
  expect(await mail()).toBeNull()
  const product = await findProduct(kassa.ctx.db, shop.merchantId, 'tea')
  if (product) expect(wantsProof(await price(thief, '0.01'))).toBe(true)
  expect(await findProduct(kassa.ctx.db, shop.merchantId, 'tea')).toEqual(product)
})

test('what was shown once holds for acts of its kind, and for no other kind', async () => {
  expect((await refund(owner, await paid())).status).toBe(303)
  expect((await refund(thief, await paid())).status).toBe(303)
  expect(wantsProof(await redirectMails(thief, 'thief@bad.example'))).toBe(true)
  expect((await redirectMails(owner, 'owner@shop.example')).status).toBe(303)
  expect((await redirectMails(thief, 'again@shop.example')).status).toBe(303)
  expect(await mail()).toBe('again@shop.example')
  await forgetProofs(kassa.ctx, id)
  expect(wantsProof(await refund(thief, await paid()))).toBe(true)
})

test('another network asks for redirecting acts alone', async () => {
  await refund(owner, await paid())
  await redirectMails(owner, 'one@shop.example')
  await kassa.ctx.db.query(`update kassa.console_sessions set redirect_network = '10.1.2'`)
  expect(wantsProof(await redirectMails(thief, 'thief@bad.example'))).toBe(true)
  expect((await refund(thief, await paid())).status).toBe(303)
})

test('a session of the version before, which knows of no second factor, is asked', async () => {
  await kassa.ctx.db.query(
    'update kassa.console_sessions set money_proved_at = null, redirect_proved_at = null, redirect_network = null',
  )
  expect(wantsProof(await refund(thief, await paid()))).toBe(true)
  expect(wantsProof(await redirectMails(thief, 'thief@bad.example'))).toBe(true)
})

test('a second factor holds for less than a quarter of an hour, of each kind by its own time', async () => {
  const shown = (money: string, redirect: string) =>
    kassa.ctx.db.query(
      `update kassa.console_sessions set money_proved_at = now() - $1::interval, redirect_proved_at = now() - $2::interval`,
      [money, redirect],
    )
  await refund(owner, await paid())
  await redirectMails(owner, 'window@shop.example')
  await shown('14 minutes', '15 minutes')
  expect((await refund(thief, await paid())).status).toBe(303)
  expect(wantsProof(await redirectMails(thief, 'thief@bad.example'))).toBe(true)
  await shown('15 minutes', '14 minutes')
  expect(wantsProof(await refund(thief, await paid()))).toBe(true)
  expect((await redirectMails(thief, 'late@shop.example')).status).toBe(303)
  // Using it does not make it last longer.
  await shown('15 minutes', '15 minutes')
  expect(wantsProof(await redirectMails(thief, 'thief@bad.example'))).toBe(true)
})

test('both kinds end after 15 minutes, and only redirecting acts ask in another network', () => {
  const here = '192.0.2.7'
  const shownAgo = (ms: number, stakes: 'money' | 'redirect', address = here) => {
    const at = new Date(systemClock.now().getTime() - ms)
    return isFactorFresh(
      { moneyProvedAt: at, redirectProvedAt: at, redirectNetwork: networkOf(here) },
      stakes,
      address,
    )
  }
  for (const stakes of ['money', 'redirect'] as const)
    expect([0, FACTOR_VALID_MS - 60_000, FACTOR_VALID_MS].map((ms) => shownAgo(ms, stakes))).toEqual([
      true,
      true,
      false,
    ])
  expect([shownAgo(0, 'money', '10.0.0.1'), shownAgo(0, 'redirect', '10.0.0.1')]).toEqual([true, false])
})

test('a stolen session brings no removed product back with another price, and changes no range of prices', async () => {
  const path = `/sandbox/shops/${shop.merchantId}`
  const add = async (browser: TestBrowser, amount: string) => {
    const form = { ...hiddenIn((await browser.get(`${path}/add-product`)).text), name: 'Juice' }
    return browser.post(`${path}/add-product`, { ...form, price: amount, currency: 'USD', most: '1' })
  }
  expect((await add(thief, '5')).status).toBe(303)
  const [product] = (await listProducts(kassa.ctx, shop.merchantId)).filter(({ name }) => name === 'Juice')
  await thief.post(`${path}/products/${product?.id}/remove`, { confirm: 'yes' })
  expect(wantsProof(await add(thief, '0.01'))).toBe(true)
  expect((await add(owner, '4')).status).toBe(303)
})

test('a photo is chosen again beside the second factor, and none is kept of a refused product', async () => {
  const path = `/sandbox/shops/${shop.merchantId}/products/tea`
  const pixels = { create: { width: 3, height: 3, channels: 3 as const, background: '#a33' } }
  const photo = new Blob([new Uint8Array(await sharp(pixels).png().toBuffer())])
  const count = async () =>
    (await kassa.ctx.db.query('select count(*)::int as count from kassa.pictures')).rows[0]?.count
  const before = await count()
  const hidden = hiddenIn((await owner.get(`${path}/edit`)).text)
  const form = { ...hidden, name: 'Tea', currency: 'USD', picture: photo }
  const request = await owner.postFiles(`${path}/edit`, { ...form, price: '20', most: '1' })
  expect(wantsProof(request)).toBe(true)
  expect(request.text).toContain('enctype="multipart/form-data"')
  expect(request.text).toMatch(/<input[^>]* name="picture" type="file"/)
  const wrong = await owner.postFiles(`${path}/edit`, { ...form, price: '19', most: '0' })
  expect([wrong.status, await count()]).toEqual([422, before])
  const outdated = await owner.postFiles(`${path}/edit`, { ...form, seen: 'another', price: '19', most: '1' })
  expect([outdated.status, await count()]).toEqual([422, before])
  const sent = { ...shownIn(request.text, phone, desk), picture: photo }
  expect((await owner.postFiles(`${path}/edit`, sent)).location).toBe(`${path}?done=changed`)
  const changed = await findProduct(kassa.ctx.db, shop.merchantId, 'tea')
  expect([changed?.amountMinor, changed?.display?.picture?.width]).toEqual([2_000, 3])
  expect(await count()).toBe(before + 1)
})

test('the old address is told when the mails about orders go elsewhere', async () => {
  const mailing = await startKassa({
    settings: { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'pay@pay.example' },
  })
  const { merchantId } = await openShop(mailing.ctx)
  await changeOrderBook(mailing.ctx, merchantId, { email: 'old@shop.example', locale: 'ru' })
  await changeOrderBook(mailing.ctx, merchantId, { email: 'new@shop.example' })
  const { rows } = await mailing.ctx.db.query(
    `select notice from sandbox.mails where kind = 'address_changed'`,
  )
  expect(rows).toEqual([{ notice: { to: 'old@shop.example', locale: 'ru', change: 'address' } }])
  await mailing.close()
})
