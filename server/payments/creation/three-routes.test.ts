/** Buyers choose between cards, a wallet and PayPal: each currency has the routes that take it, and each route says what works there. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPayment } from '../../storage/payments/payments.ts'
import { createSession, lookUp, readCapabilities, readPage, sessionRequest } from '../../testing/calls.ts'
import { setThreeRoutes, type ThreeRoutes } from '../../testing/providers/three-routes.ts'

let scene: ThreeRoutes
beforeAll(async () => {
  scene = await setThreeRoutes()
})
afterAll(() => scene.close())

let orders = 0
async function open(currency: string) {
  const key = `three-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, currency, amountMinor: 190_000 })
  const { body: created } = await createSession(scene.kassa.url, scene.shop, { key, body })
  return created as { id: string; checkoutUrl: string }
}
const choicesOn = (html: string) =>
  [...html.matchAll(/name="route" value="(\w+)"/g)].map(([, route]) => route)

test.each([
  ['AMD', ['route_a', 'route_b']],
  ['USD', ['route_a', 'route_c']],
])('for %s the page offers the routes that take it', async (currency, routes) => {
  const { checkoutUrl } = await open(currency)
  for (const [locale, label] of [
    ['en', 'Bank card'],
    ['ru', 'Банковская карта'],
    ['hy', 'Բանկային քարտ'],
  ]) {
    const { html } = await readPage(`${checkoutUrl}?locale=${locale}`)
    expect(choicesOn(html)).toEqual(routes)
    expect(html).toContain(label)
  }
})

test('whoever chooses the wallet gets its form, and pays there', async () => {
  const { kassa, shop, simulators } = scene
  const { id, checkoutUrl } = await open('AMD')
  const choose = new URLSearchParams({ route: 'route_b' })
  const chosen = await fetch(`${checkoutUrl}/continue`, { method: 'POST', body: choose, redirect: 'manual' })
  expect(chosen.status).toBe(303)
  const { html } = await readPage(new URL(chosen.headers.get('location') ?? '', checkoutUrl).href)
  const { form } = (await findPayment(kassa.ctx.db, shop.merchantId, id))?.attempt ?? {}
  expect(html).toContain(`name="EDP_BILL_NO" value="${form?.fields.EDP_BILL_NO}"`)
  await simulators.idram?.buyer({ kind: 'form', action: '', fields: {}, ...form }, 'pay')
  expect((await lookUp(kassa.url, shop, id)).body).toMatchObject({ status: 'paid', provider: 'route_b' })
})

test('each route says what works there', async () => {
  const { kassa, shop } = scene
  const { body } = await readCapabilities(kassa.url, shop)
  const said = (route: string) => {
    const found = body.providers.find(({ id }: { id: string }) => id === route)
    const enabled = Object.entries(found.capabilities as Record<string, { enabled: boolean }>)
      .filter(([, state]) => state.enabled)
      .map(([name]) => name)
    return { label: found.label, currencies: found.currencies, enabled }
  }
  const always = ['payment_links', 'qr_presentation']
  expect(said('route_a')).toMatchObject({
    label: 'ArCa',
    currencies: ['AMD', 'USD', 'EUR'],
    enabled: [...always, 'refund', 'capture', 'void', 'tokenization', 'subscriptions', 'cancel'],
  })
  expect(said('route_b')).toEqual({ label: 'Idram', currencies: ['AMD'], enabled: [...always, 'cancel'] })
  expect(said('route_c')).toMatchObject({ label: 'PayPal', currencies: ['USD', 'EUR'] })
})
