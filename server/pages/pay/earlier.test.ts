/** Two tabs of one browser: a second payment for the same product is pointed out before the bank. */
import { beforeEach, expect, test } from 'vitest'
import { listPayments } from '../../storage/search/list.ts'
import { clickWidget, payAtBank } from '../../testing/calls.ts'
import { openShop, type Shop } from '../../testing/harness.ts'
import { openKassa } from '../../testing/scene.ts'

let shop: Shop
/** The browser's cookies. */
let cookies: Map<string, string>
const kassa = await openKassa()
beforeEach(async () => {
  shop = await openShop(kassa.ctx)
  cookies = new Map()
})

async function visit(path: string, form?: Record<string, string>) {
  const headers = {
    cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
    ...(form && { 'sec-fetch-site': 'same-origin' }),
  }
  const body = form && new URLSearchParams(form)
  const answer = await fetch(kassa.url + path, {
    method: form ? 'POST' : 'GET',
    headers,
    redirect: 'manual',
    ...(body && { body }),
  })
  for (const cookie of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    cookies.set(name, value)
  }
  const location = answer.headers.get('location')
  return {
    status: answer.status,
    html: await answer.text(),
    location: location?.replace(kassa.ctx.baseUrl, ''),
    set: answer.headers.getSetCookie(),
  }
}
const open = (product = 'tea') => visit(`/pay/${shop.publicKey}/${product}`)
const fieldsOf = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  )
const send = (html: string, product = 'tea') => visit(`/pay/${shop.publicKey}/${product}`, fieldsOf(html))
const showsEarlier = (html: string) => html.includes('data-testid="earlier"')
const payments = () => listPayments(kassa.ctx.db, { merchantId: shop.merchantId, limit: 50 })

test('a form of a second tab does not go to the bank before its buyer has read that a payment is open', async () => {
  const [first, second] = [await open(), await open()]
  expect([showsEarlier(first.html), showsEarlier(second.html)]).toEqual([false, false])
  expect((await send(first.html)).status).toBe(303)
  const refused = await send(second.html)
  expect([refused.status, showsEarlier(refused.html)]).toEqual([409, true])
  expect(await payments()).toHaveLength(1)
  const [payment] = await payments()
  expect(refused.html).not.toContain(String(payment?.id))
  const way = /href="(\/open\/[^"?]+)/.exec(refused.html)?.[1] ?? ''
  expect((await visit(way)).location).toBe(`/checkout/${payment?.id}`)
  expect((await send(refused.html)).status).toBe(303)
  expect(await payments()).toHaveLength(2)
})

test('a page that is opened later shows it at once, and a form that is sent twice makes no second payment', async () => {
  const first = await open()
  const sent = await send(first.html)
  expect(showsEarlier((await open()).html)).toBe(true)
  expect((await send(first.html)).location).toBe(sent.location)
})

test('a payment that was made a short time ago is shown too, until the browser forgets it after half an hour', async () => {
  const sent = await send((await open()).html)
  await payAtBank(`${kassa.url}${sent.location}`, 'paid')
  const { html } = await open()
  expect(html).toContain('You paid for this a short time ago')
  const { set } = await send(html)
  const mark = set.find((cookie) => cookie.startsWith('kassa_open_'))
  expect(mark).toMatch(
    /^kassa_open_[0-9a-f]{16}=pay_test_\w+; Max-Age=1800; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
  )
})

test('another product, another shop and another browser show nothing', async () => {
  await send((await open()).html)
  expect(showsEarlier((await open('cup')).html)).toBe(false)
  const here = shop
  shop = await openShop(kassa.ctx)
  expect(showsEarlier((await open()).html)).toBe(false)
  shop = here
  expect(showsEarlier((await open()).html)).toBe(true)
  cookies = new Map()
  expect(showsEarlier((await open()).html)).toBe(false)
})

test('a payment that ended without money is not shown', async () => {
  const sent = await send((await open()).html)
  await payAtBank(`${kassa.url}${sent.location}`, 'cancelled')
  expect(showsEarlier((await open()).html)).toBe(false)
})

test('the checkout page of a second click on the button shows the first payment, but not itself', async () => {
  const click = async (clientReference: string) => {
    const { body } = await clickWidget(kassa.url, shop, { body: { clientReference } })
    return new URL(body.checkoutUrl).pathname
  }
  const [first, second] = [await click('tab-1'), await click('tab-2')]
  expect(showsEarlier((await visit(second)).html)).toBe(false)
  await visit(`${first}/continue`, {})
  expect(showsEarlier((await visit(second)).html)).toBe(true)
  const own = await visit(first)
  expect(showsEarlier(own.html)).toBe(false)
})

test.each([
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
])('a form of another site begins no payment in the browser of a visitor: %o', async (stated) => {
  const { body } = await clickWidget(kassa.url, shop, { body: { clientReference: 'of a stranger' } })
  const press = await fetch(`${body.checkoutUrl}/continue`, {
    method: 'POST',
    headers: stated,
    redirect: 'manual',
  })
  expect([press.status, press.headers.get('location')]).toEqual([303, body.checkoutUrl])
  expect(press.headers.getSetCookie()).toEqual([])
  expect(showsEarlier((await open()).html)).toBe(false)
})

test('a forged cookie shows no payment of another buyer', async () => {
  const stranger = await send((await open('cup')).html, 'cup')
  const slot = [...cookies.keys()].find((name) => name.startsWith('kassa_open_')) ?? ''
  cookies = new Map([[slot.replace(/.{4}$/, '0000'), 'pay_x']])
  expect((await visit(`/open/${slot.slice('kassa_open_'.length)}`)).status).toBe(404)
  cookies.set(slot, '..%2f..%2fevil')
  expect((await visit(`/open/${slot.slice('kassa_open_'.length)}`)).status).toBe(404)
  expect(stranger.status).toBe(303)
})

test('each way out of our pages changes a cookie, which keeps browsers from showing an old page after Back', async () => {
  await send((await open()).html)
  const marks = [cookies.get('kassa_left')]
  kassa.clock.advance(1_000)
  const [payment] = await payments()
  await visit(`/checkout/${payment?.id}/continue`, {})
  marks.push(cookies.get('kassa_left'))
  kassa.clock.advance(1_000)
  await visit(`/checkout/${payment?.id}/return`)
  marks.push(cookies.get('kassa_left'))
  expect(new Set(marks).size).toBe(3)
  expect(marks).not.toContain(undefined)
})
