/** A page with only a message leads on: to the shop, to the payment, or to a contact. */
import { expect, test } from 'vitest'
import { setBranding } from '../merchants/branding.ts'
import { createSession } from '../testing/calls.ts'
import { openShop, SHOP_ORIGIN } from '../testing/harness.ts'
import { openKassa } from '../testing/scene.ts'

const kassa = await openKassa()
const shop = await openShop(kassa.ctx)
await setBranding(kassa.ctx, shop.merchantId, { phone: '+374 10 123456' })

async function open(path: string, { from, ...options }: RequestInit & { from?: string } = {}) {
  const headers = { accept: 'text/html', ...(from && { referer: from }) }
  const answer = await fetch(kassa.url + path, { headers, redirect: 'manual', ...options })
  return { status: answer.status, html: await answer.text() }
}
const linkBack = (html: string) => /<a[^>]*href="([^"]*)"[^>]*data-testid="back"/.exec(html)?.[1]

test.each([
  '/nowhere',
  '/checkout/pay_test_unknown',
  '/link/lnk_test_unknown',
  '/pay/kpk_sandbox_unknown/tea',
])('%s leads back to the shop from which the buyer comes, and never to another site', async (path) => {
  const known = await open(path, { from: `${SHOP_ORIGIN}/cart?step=2` })
  expect([known.status, linkBack(known.html)]).toEqual([404, `${SHOP_ORIGIN}/`])
  for (const from of [
    undefined,
    'https://evil.example/',
    `${SHOP_ORIGIN}.evil.example/`,
    'javascript:alert(1)',
    'x',
  ])
    expect(linkBack((await open(path, from === undefined ? {} : { from })).html)).toBeUndefined()
})

test('a form of a payment that cannot be read leads to the payment and to its shop, and names a contact', async () => {
  const { body } = await createSession(kassa.url, shop, { key: 'next-step' })
  const form = new URLSearchParams({ email: 'a'.repeat(9_000) })
  const { status, html } = await open(`/checkout/${body.id}/continue`, { method: 'POST', body: form })
  expect(status).toBe(413)
  expect(html).toContain(`href="/checkout/${body.id}?locale=en"`)
  expect(linkBack(html)).toBe(`${SHOP_ORIGIN}/thanks?paymentId=${body.id}&amp;merchantOrderId=order-1`)
  expect(html).toContain('tel:+37410123456')
})

test('a product that is no longer sold leads to the shop of its key', async () => {
  const { status, html } = await open(`/pay/${shop.publicKey}/gone`, { from: 'https://evil.example/' })
  expect([status, linkBack(html)]).toEqual([404, `${SHOP_ORIGIN}/`])
  expect(html).toContain('tel:+37410123456')
})

test('a rejected return address leads to the shop of the key, not to the address', async () => {
  const { status, html } = await open(
    `/pay/${shop.publicKey}/tea?${new URLSearchParams({ return: 'https://evil.example/' })}`,
  )
  expect([status, linkBack(html)]).toEqual([422, `${SHOP_ORIGIN}/`])
  expect(html).toContain('tel:+37410123456')
  expect(html).not.toContain('href="https://evil.example')
})
