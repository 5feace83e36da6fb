/** A merchant that wants an e-mail address: the page asks before the bank, and the shop and the provider get it. */

import { beforeEach, describe, expect, test } from 'vitest'
import { setBranding } from '../../merchants/branding.ts'
import { setProduct } from '../../merchants/product.ts'
import type { CheckoutRequest } from '../../providers/driver.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { listPayments } from '../../storage/search/list.ts'
import {
  clickWidget,
  createLink,
  createSession,
  linkRequest,
  lookUp,
  readPage,
  sessionRequest,
} from '../../testing/calls.ts'
import { openShop, type Shop } from '../../testing/harness.ts'
import { scriptRoute } from '../../testing/providers/scripted-driver.ts'
import { forgetCached } from '../../testing/real-time.ts'
import { openKassa } from '../../testing/scene.ts'

const kassa = await openKassa()
const script = scriptRoute(kassa.ctx)

let shop: Shop
let orders = 0
beforeEach(async () => {
  shop = await openShop(kassa.ctx)
  await setBranding(kassa.ctx, shop.merchantId, { askEmail: true })
})

const session = (changes: object = {}) =>
  createSession(kassa.url, shop, {
    key: `email-${++orders}`,
    body: sessionRequest({ merchantOrderId: `email-${orders}`, ...changes }),
  })

async function post(path: string, form: Record<string, string>) {
  const answer = await fetch(kassa.url + path, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', 'accept-language': 'ru' },
    body: new URLSearchParams(form),
    redirect: 'manual',
  })
  return { status: answer.status, location: answer.headers.get('location'), html: await answer.text() }
}
const goOn = (id: string, form: Record<string, string>) => post(`/checkout/${id}/continue`, form)
const given = async (id: string) => (await lookUp(kassa.url, shop, id)).body.customer

describe('the page of a payment', () => {
  test('asks before the bank, and then the shop and the provider have the address', async () => {
    const customers: CheckoutRequest['customer'][] = []
    const noting = scriptRoute(kassa.ctx)
    const { driver } = kassa.ctx.routes.route_a
    if (!driver?.startCheckout) throw new Error('the scripted route has no driver')
    const start = driver.startCheckout.bind(driver)
    driver.startCheckout = async (call, attempt) => {
      customers.push(attempt.customer)
      return start(call, attempt)
    }
    const { body } = await session({ customer: { name: 'Ani' } })
    expect([body.providerCheckoutUrl, noting.calls]).toEqual([undefined, []])
    const { html } = await readPage(`${kassa.url}/checkout/${body.id}`)
    expect(html).toMatch(/<input id="email" name="email" type="email"[^>]* required/)
    const { status, location } = await goOn(body.id, { email: ' ani@example.com ' })
    expect([status, location]).toEqual([303, expect.stringMatching(/^https:\/\/bank\.example\/pay\//)])
    expect(customers).toEqual([{ name: 'Ani', email: 'ani@example.com' }])
    expect(await given(body.id)).toEqual({ name: 'Ani', email: 'ani@example.com' })
    expect((await readPage(`${kassa.url}/checkout/${body.id}`)).html).not.toContain('ani@example.com')
  })

  test('does not lead on without an address, also if its link is followed', async () => {
    const { body } = await session()
    const answer = await fetch(`${kassa.url}/checkout/${body.id}/continue`, {
      method: 'POST',
      redirect: 'manual',
    })
    expect(answer.headers.get('location')).toBe(`${kassa.ctx.baseUrl}/checkout/${body.id}`)
    expect(script.orders.size).toBe(0)
  })

  test.each([
    '',
    'ani',
    'ani@',
    'a@b.am\r\nBcc: eve@evil.example',
    'ani@example.com,eve@evil.example',
    `${'a'.repeat(150)}@example.com`,
  ])('asks again for %j, shows the typed text, and starts nothing', async (email) => {
    const { body } = await session()
    const { status, html } = await goOn(body.id, { email })
    expect(status).toBe(422)
    expect(html).toContain('role="alert"')
    expect(html).toContain('aria-invalid="true"')
    expect(html).toContain(`href="/checkout/${body.id}?locale=hy"`)
    expect(await given(body.id)).toBeUndefined()
  })

  test('neither stores nor shows a card number that is typed as an address', async () => {
    const { body } = await session()
    const { status, html } = await goOn(body.id, { email: '4242424242424242@example.com' })
    // A random id may have four of these digits.
    expect([status, /4242[ -]?4242/.test(html)]).toEqual([422, false])
    expect(await given(body.id)).toBeUndefined()
  })

  test('keeps the first address, and never asks if the shop gave one', async () => {
    const { body } = await session()
    await goOn(body.id, { email: 'ani@example.com' })
    await goOn(body.id, { email: 'eve@example.com' })
    expect(await given(body.id)).toEqual({ email: 'ani@example.com' })
    const known = (await session({ customer: { email: 'shop@example.com' } })).body
    expect(known.providerCheckoutUrl).toMatch(/^https:\/\/bank\.example/)
    expect((await readPage(`${kassa.url}/checkout/${known.id}`)).html).not.toContain('name="email"')
    await goOn(known.id, { email: 'eve@example.com' })
    expect(await given(known.id)).toEqual({ email: 'shop@example.com' })
  })

  test('does not ask if the merchant does not want it', async () => {
    await setBranding(kassa.ctx, shop.merchantId, { askEmail: false })
    forgetCached()
    const { body } = await session()
    expect((await readPage(`${kassa.url}/checkout/${body.id}`)).html).not.toContain('name="email"')
    await goOn(body.id, { email: 'ani@example.com' })
    expect(await given(body.id)).toBeUndefined()
  })
})

test('the page of a link asks, and leads straight on', async () => {
  const { body } = await createLink(kassa.url, shop, { key: `email-${++orders}`, body: linkRequest() })
  const { html } = await readPage(body.paymentUrl.replace(kassa.ctx.baseUrl, kassa.url))
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? ''
  expect(html).toContain('name="email"')
  const { location } = await post(new URL(action).pathname, { email: 'ani@example.com' })
  expect(location).toMatch(/^https:\/\/bank\.example\/pay\//)
  expect(await given(body.paymentId)).toEqual({ email: 'ani@example.com' })
})

test('a click on the button leads to the page that asks', async () => {
  const { body } = await clickWidget(kassa.url, shop, { body: { clientReference: `email-${++orders}` } })
  const { html } = await readPage(`${kassa.url}/checkout/${body.paymentId}?locale=hy`)
  expect(html).toContain('name="email"')
})

describe('the page of a product', () => {
  const path = (product = 'tea') => `/pay/${shop.publicKey}/${product}`
  const token = async (product?: string) =>
    /name="token" value="([^"]+)"/.exec((await readPage(kassa.url + path(product))).html)?.[1] ?? ''
  const payments = () => listPayments(kassa.ctx.db, { merchantId: shop.merchantId, limit: 5 })

  test('asks on the same page, and creates nothing without an address', async () => {
    const refused = await post(path(), { token: await token(), email: 'ani' })
    expect([refused.status, refused.html.includes('value="ani"')]).toEqual([422, true])
    expect(await payments()).toEqual([])
    await post(path(), { token: await token(), email: 'ani@example.com' })
    expect(await payments()).toMatchObject([
      { customer: { email: 'ani@example.com' }, locale: 'ru', attempt: { state: 'open' } },
    ])
  })

  test('neither stores nor shows a card number that is typed as an address', async () => {
    const typed = { token: await token(), email: 'card-4242.4242.4242.4242@example.com' }
    const { status, html } = await post(path(), typed)
    // A random id may have four of these digits.
    expect([status, /4242[ -]?4242/.test(html)]).toEqual([422, false])
    expect(await payments()).toEqual([])
  })

  test('accepts a corrected address from the same form, until the payment is paid', async () => {
    const form = { token: await token() }
    await post(path(), { ...form, email: 'any@example.com' })
    await post(path(), { ...form, email: 'ani@example.com' })
    expect(await payments()).toMatchObject([{ customer: { email: 'ani@example.com' } }])
  })

  test('sends a suggested amount and the address in one form, in which Enter sends the typed amount', async () => {
    await setProduct(kassa.ctx, {
      merchantId: shop.merchantId,
      id: 'gift',
      name: 'Gift',
      amountMinor: 1000,
      currency: 'USD',
      provider: null,
      choice: { minMinor: 100, maxMinor: 10_000, stepMinor: 1, suggestedMinor: [500, 2000] },
    })
    const { html } = await readPage(kassa.url + path('gift'))
    expect(html.match(/<form/g)).toHaveLength(1)
    expect(/<button[^>]*>/.exec(html)?.[0]).toContain('class="unseen"')
    const form = { token: await token('gift'), email: 'ani@example.com', amount: '10' }
    const { location } = await post(path('gift'), { ...form, suggested: '20' })
    const reference = /([^/]+)$/.exec(location ?? '')?.[1] ?? ''
    const { rows } = await kassa.ctx.db.query(
      'select payment_id as id from sandbox.attempts where reference = $1',
      [reference],
    )
    const id = rows[0]?.id ?? ''
    expect(await findPaymentById(kassa.ctx.db, id)).toMatchObject({
      amountMinor: 2000,
      customer: { email: 'ani@example.com' },
    })
  })
})
