/** The buyer chooses between the merchant's routes on our page. Until then no order is opened anywhere. */
import { beforeEach, expect, test } from 'vitest'
import { setAccount } from '../../accounts/set.ts'
import { setProduct } from '../../merchants/product.ts'
import { setMerchantRoutes } from '../../merchants/routes.ts'
import { listAttempts } from '../../storage/payments/attempt-orders.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { call, createLink, createSession, linkRequest, sessionRequest } from '../../testing/calls.ts'
import { openShop, type Shop } from '../../testing/harness.ts'
import { type Ledger, openLedger } from '../../testing/providers/ledger-bank.ts'
import { changeDriver } from '../../testing/scene/driver.ts'
import { openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const CARD = { route: 'route_a' as const, label: 'Bank card', labels: { ru: 'Карта', hy: 'Քարտ' } }
const WALLET = { route: 'route_b' as const, label: 'Wallet', mark: 'wallet' as const }

let shop: Shop
let cards: Ledger
let wallets: Ledger
const kassa = await openKassa()
beforeEach(async () => {
  shop = await openShop(kassa.ctx)
  await setMerchantRoutes(kassa.ctx, shop.merchantId, [CARD, WALLET])
  cards = openLedger(kassa.ctx, { status: 'pending_payment' })
  wallets = openLedger(kassa.ctx, { status: 'pending_payment', route: 'route_b' })
})

let orders = 0
const find = async (id: string) => (await findPaymentById(kassa.ctx.db, id)) as AttemptedPayment
const opened = () => [cards.orders.size, wallets.orders.size]
const attempts = async (payment: AttemptedPayment) =>
  (await listAttempts(kassa.ctx.db, payment)).map(({ provider, state }) => [provider, state])

async function create(changes: object = {}) {
  const body = sessionRequest({ merchantOrderId: `order-${++orders}`, ...changes })
  return createSession(kassa.url, shop, { key: `key-${orders}`, body })
}
const open = async (changes: object = {}) => find((await create(changes)).body.id)

const page = async ({ id }: AttemptedPayment, query = '') =>
  (await fetch(`${kassa.url}/checkout/${id}${query}`)).text()
const offer = async () => (await fetch(`${kassa.url}/pay/${shop.publicKey}/tea`)).text()
const options = (html: string) =>
  [...html.matchAll(/name="route" value="(\w+)"[^>]*>(?:<svg.*?<\/svg>)?<span>([^<]+)</gs)].map(
    ([, , label]) => label,
  )

/** Presses a button of the choice, or posts to the address without one. Returns where that leads. */
async function choose({ id }: AttemptedPayment, route?: string): Promise<string> {
  const chosen = { body: new URLSearchParams({ route: route ?? '' }) }
  const given = { method: 'POST', redirect: 'manual', ...(route !== undefined && chosen) } as const
  const answer = await fetch(`${kassa.url}/checkout/${id}/continue`, given)
  expect(answer.status).toBe(303)
  return answer.headers.get('location') ?? ''
}

test('no order is opened before the buyer has chosen: not by the creation, the page, or an address', async () => {
  const { status, body } = await create()
  const payment = await find(body.id)
  expect([status, body.provider, body.providerCheckoutUrl]).toEqual([201, 'route_a', undefined])
  const html = await page(payment)
  expect(options(html)).toEqual(['Bank card', 'Wallet'])
  // The wallet has a mark of its own. The card has that of its driver.
  expect(new Set(html.match(/<svg class="method".*?<\/svg>/gs)).size).toBe(2)
  for (const text of [html, await offer()]) {
    expect(text).toContain('Card details are entered only on the bank’s own page.')
    expect(text).not.toContain('You continue on the bank’s own page')
  }
  expect(await choose(payment)).toContain(`/checkout/${payment.id}`)
  expect(await choose(payment, 'route_c')).toContain(`/checkout/${payment.id}`)
  expect([opened(), await attempts(payment)]).toEqual([[0, 0], [['route_a', 'planned']]])
})

test("on a product's page one press chooses the route and goes on to its provider", async () => {
  const sell = async (route?: string) => {
    const token = /name="token" value="([^"]+)"/.exec(await offer())?.[1] ?? ''
    const answer = await fetch(`${kassa.url}/pay/${shop.publicKey}/tea`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ token, ...(route && { route }) }),
    })
    return answer.headers.get('location') ?? ''
  }
  expect(options(await offer())).toEqual(['Bank card', 'Wallet'])
  expect(await sell('route_b')).toContain('https://bank.example/')
  expect(opened()).toEqual([0, 1])
  // Enter in a field names no route, and no other route than an offered one counts.
  for (const none of [undefined, 'route_c', 'manual'])
    expect(await sell(none)).toContain(`${kassa.url}/checkout/`)
  expect(opened()).toEqual([0, 1])
})

test('the chosen route gets the one order, and its money pays the payment', async () => {
  const payment = await open()
  expect(await choose(payment, 'route_b')).toBe(`https://bank.example/${payment.attempt.reference}`)
  expect([opened(), await attempts(payment)]).toEqual([[0, 1], [['route_b', 'open']]])
  expect(await find(payment.id)).toMatchObject({
    status: 'pending_redirect',
    attempt: { provider: 'route_b' },
  })
  wallets.move(payment.attempt.reference, { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 })
  await call(`${kassa.url}/callbacks/${kassa.ctx.routes.route_b.id}`, { body: payment.attempt.reference })
  expect(await find(payment.id)).toMatchObject({
    status: 'paid',
    capturedMinor: 1900,
    attempt: { provider: 'route_b' },
  })
})

test('after a decline the buyer may choose another route', async () => {
  const payment = await open()
  await choose(payment, 'route_a')
  expect(options(await page(payment))).toEqual([])
  cards.move(payment.attempt.reference, { order: 'declined' })
  // The address alone chooses nothing, although the decline is learned only now.
  expect(await choose(payment)).toContain(`/checkout/${payment.id}`)
  const html = await page(payment)
  expect(options(html)).toEqual(['Bank card', 'Wallet'])
  expect(html).toContain('You can try again now')
  await choose(payment, 'route_b')
  expect([opened(), await attempts(payment)]).toEqual([
    [1, 1],
    [
      ['route_a', 'declined'],
      ['route_b', 'open'],
    ],
  ])
})

test('twenty clicks on both buttons at once open one order', async () => {
  const payment = await open()
  const clicks = Array.from({ length: 20 }, (_, index) => choose(payment, index % 2 ? 'route_a' : 'route_b'))
  expect(new Set(await Promise.all(clicks)).size).toBe(1)
  expect(cards.orders.size + wallets.orders.size).toBe(1)
})

test('the labels are in the language of the page, also on the page of a link', async () => {
  const body = linkRequest()
  const { paymentUrl, paymentId } = (await createLink(kassa.url, shop, { key: `link-${++orders}`, body }))
    .body
  expect(options(await (await fetch(`${paymentUrl}?locale=ru`)).text())).toEqual(['Карта', 'Wallet'])
  expect(options(await page(await find(paymentId), '?locale=hy'))).toEqual(['Քարտ', 'Wallet'])
  expect(opened()).toEqual([0, 0])
})

test('a named route leaves nothing to choose, and neither does a single one that is left', async () => {
  const named = await open({ provider: 'route_b' })
  expect([opened(), options(await page(named))]).toEqual([[0, 1], []])
  await setMerchantRoutes(kassa.ctx, shop.merchantId, [WALLET])
  await expect.poll(async () => (await create()).body.provider).toBe('route_b')
})

test('a buyer who will pay by a bank transfer is told of no page of a bank', async () => {
  await setMerchantRoutes(kassa.ctx, shop.merchantId, [])
  await expect.poll(offer).toContain('You continue on the bank’s own page.')
  const tea = {
    merchantId: shop.merchantId,
    id: 'tea',
    name: 'Tea',
    amountMinor: 1900,
    currency: 'USD',
  } as const
  await setProduct(kassa.ctx, { ...tea, provider: 'manual' })
  // The account has no number, so no details come.
  const texts = {
    en: 'You pay the shop as it has told you.',
    ru: 'Вы платите магазину так, как он сказал.',
    hy: 'Դուք խանութին վճարում եք այնպես, ինչպես նա ասել է։',
  }
  await expect.poll(offer).toContain(texts.en)
  for (const [locale, words] of Object.entries(texts)) {
    const html = await (await fetch(`${kassa.url}/pay/${shop.publicKey}/tea?locale=${locale}`)).text()
    expect([locale, html]).toEqual([locale, expect.stringContaining(words)])
  }
  expect(await offer()).not.toMatch(/bank’s own page|how to transfer/)
  // Also on another slot: what the account has decides, and not the name of the slot.
  const wanted = { merchantId: shop.merchantId, route: 'route_b', driver: 'manual' } as const
  const written = { RECIPIENT: 'Teehaus', ACCOUNT: 'DE89370400440532013000' }
  await setAccount(kassa.ctx, { ...wanted, currencies: ['USD'], written })
  await setProduct(kassa.ctx, { ...tea, provider: 'route_b' })
  await expect.poll(offer).toContain('Next you read how to transfer the amount')
  expect(await offer()).not.toContain('bank’s own page')
})

test('only routes that take the currency are offered', async () => {
  changeDriver(kassa.ctx, 'route_b', { currencies: ['AMD'] })
  const payment = await open()
  expect([payment.attempt.state, payment.attempt.provider]).toEqual(['open', 'route_a'])
})

test('a payment whose buyer chose nothing expires without asking anybody, also where the route cannot be asked', async () => {
  for (const changes of [{}, { lookUp: undefined }]) {
    changeDriver(kassa.ctx, 'route_a', changes)
    const payment = await open()
    kassa.clock.advance(91 * 60_000)
    await SWEEPS.statusSync(kassa.ctx)
    expect((await find(payment.id)).status).toBe('expired')
    expect(await choose(payment, 'route_b')).toContain(`/checkout/${payment.id}`)
  }
  expect(opened()).toEqual([0, 0])
})
