/** The bank's page and our own speak the language in which the buyer came. */
import { beforeAll, expect, test } from 'vitest'
import { setBranding } from '../../merchants/branding.ts'
import { setProduct } from '../../merchants/product.ts'
import type { CheckoutRequest } from '../../providers/driver.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { call, createSession, readPage, sessionRequest } from '../../testing/calls.ts'
import { openShop, SHOP_ORIGIN } from '../../testing/harness.ts'
import { scriptRoute } from '../../testing/providers/scripted-driver.ts'
import { forgetCached } from '../../testing/real-time.ts'
import { openKassa } from '../../testing/scene.ts'

const kassa = await openKassa()
const script = scriptRoute(kassa.ctx)
let last: CheckoutRequest | undefined
const { driver } = kassa.ctx.routes.route_a
const start = driver?.startCheckout?.bind(driver)
if (!driver?.startCheckout || !start) throw new Error('the scripted route has no driver')
driver.startCheckout = async (each, attempt) => {
  last = attempt
  return start(each, attempt)
}

const shop = await openShop(kassa.ctx)
beforeAll(async () => {
  await setBranding(kassa.ctx, shop.merchantId, { names: { hy: 'Թեյատուն', ru: 'Чайная' } })
  const names = { hy: 'Լեռնային թեյ', ru: 'Горный чай' }
  const tea = {
    id: 'tea',
    name: 'Tea',
    amountMinor: 1900,
    currency: 'USD',
    provider: null,
    maxQuantity: 5,
  } as const
  await setProduct(kassa.ctx, { merchantId: shop.merchantId, ...tea, display: { names } })
})

const click = (clientReference: string, languages?: string) =>
  call(`${kassa.url}/api/widget/checkout`, {
    headers: { origin: SHOP_ORIGIN, ...(languages && { 'accept-language': languages }) },
    body: { publicKey: shop.publicKey, productId: 'tea', clientReference },
  })

test.each([
  ['hy-AM', 'Թեյատուն', 'Լեռնային թեյ'],
  ['ru', 'Чайная', 'Горный чай'],
  ['en', 'Test shop', 'Tea'],
])(
  'a click in %s: the provider reads the names in that language',
  async (languages, merchantName, description) => {
    const { body } = await click(`click-${languages}`, languages)
    expect(last).toMatchObject({ merchantName, description, language: languages.slice(0, 2) })
    // Our own books keep the name of the registry.
    expect(await findPaymentById(kassa.ctx.db, body.paymentId)).toMatchObject({ description: 'Tea' })
  },
)

test('the form of a product’s page tells the provider the name in the language of the page, with the number of pieces', async () => {
  const path = `${kassa.url}/pay/${shop.publicKey}/tea?locale=hy`
  const token = /name="token" value="([^"]+)"/.exec((await readPage(path)).html)?.[1] ?? ''
  await fetch(path, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token, quantity: '3' }),
    redirect: 'manual',
  })
  expect(last).toMatchObject({ description: 'Լեռնային թեյ × 3', merchantName: 'Թեյատուն', amountMinor: 5700 })
})

test('an order that is opened again has the language in which the buyer goes on', async () => {
  script.starts.push(() => ({ kind: 'refused', message: 'not now', refusal: 'request' }))
  await setBranding(kassa.ctx, shop.merchantId, { askEmail: true })
  forgetCached()
  const { body } = await click('click-again', 'hy')
  const form = {
    method: 'POST',
    body: new URLSearchParams({ email: 'ani@example.com' }),
    redirect: 'manual',
  } as const
  await fetch(`${kassa.url}/checkout/${body.paymentId}/continue?locale=hy`, form)
  expect(last?.description).toBe('Լեռնային թեյ')
  await fetch(`${kassa.url}/checkout/${body.paymentId}/continue?locale=ru`, {
    method: 'POST',
    redirect: 'manual',
  })
  expect(last?.description).toBe('Горный чай')
  await setBranding(kassa.ctx, shop.merchantId, { askEmail: false })
})

test('a session names what it is for and its language in its metadata, and its page reads both', async () => {
  const metadata = { description: 'Two cups of tea', locale: 'hy-AM' }
  const { body } = await createSession(kassa.url, shop, { key: 'words', body: sessionRequest({ metadata }) })
  expect([body.metadata, body.checkoutUrl]).toEqual([metadata, `${kassa.url}/checkout/${body.id}?locale=hy`])
  const stored = await findPaymentById(kassa.ctx.db, body.id)
  expect(stored).toMatchObject({ description: 'Two cups of tea', locale: 'hy' })
  const { html } = await readPage(body.checkoutUrl, 'ru')
  expect(html).toMatch(/<html[^>]* lang="hy"/)
  expect(html).toContain('Two cups of tea')
})

test.each([
  { description: 'x', locale: 'de' },
  { description: ['a list'], locale: { hy: true } },
  { description: 'x'.repeat(601), locale: '' },
  { description: null, locale: 'constructor' },
])('what is no text of the right form is only the shop’s own: %#', async (metadata) => {
  const key = JSON.stringify(metadata).slice(0, 60)
  const { status, body } = await createSession(kassa.url, shop, { key, body: sessionRequest({ metadata }) })
  expect([status, body.metadata]).toEqual([201, metadata])
  expect(body.checkoutUrl).toBe(`${kassa.url}/checkout/${body.id}`)
  expect(await findPaymentById(kassa.ctx.db, body.id)).toMatchObject({ description: null, locale: null })
})

test('the language of a payment of the API is the one in which its buyer comes back', async () => {
  const { body } = await createSession(kassa.url, shop, { key: 'language-1' })
  const find = async () => (await findPaymentById(kassa.ctx.db, body.id))?.locale
  expect(await find()).toBe(null)
  await fetch(`${kassa.url}/checkout/${body.id}/return`, {
    headers: { 'accept-language': 'hy' },
    redirect: 'manual',
  })
  expect(await find()).toBe('hy')
})
