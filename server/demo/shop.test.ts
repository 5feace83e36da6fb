import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, test } from 'vitest'
import { keepsOrders } from '../operator/orders/book.ts'
import { verifyCallback } from '../receivers/check.ts'
import { setCallback } from '../receivers/receiver.ts'
import { listOrders } from '../storage/orders/lists.ts'
import { clickWidget, lookUp, payAtBank } from '../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { demoShop } from './shop.ts'

test("the demo shop's back end passes the verification: it accepts valid events and rejects all others", async () => {
  const kassa = await startKassa()
  const shop = await openShop(kassa.ctx)
  const server = express().use(demoShop(kassa.ctx, shop)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    await setCallback(kassa.ctx, shop.merchantId, `http://127.0.0.1:${port}/callback`)
    const { accepted, checks } = await verifyCallback(kassa.ctx, shop.merchantId)
    expect(checks.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 401, 401, 401, 401, 200])
    expect(accepted).toBe(true)
  } finally {
    server.closeAllConnections()
    server.close()
    await kassa.close()
  }
})

/** Starts a demo shop on its own port. Each shop has its own memory. */
async function openDemo(kassa: Kassa, shop: Shop) {
  const server = express().use(demoShop(kassa.ctx, shop)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    order: async (id: string) => (await fetch(`${url}/api/orders/${id}`)).json(),
    refund: async (id: string, part: string, site = 'same-origin') => {
      const headers = { 'sec-fetch-site': site }
      const answer = await fetch(`${url}/api/orders/${id}/refunds/${part}`, { method: 'POST', headers })
      return { status: answer.status, body: await answer.json() }
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

test('the demo shop refunds once even if asked again, only for its own page, and continues after a restart', async () => {
  const kassa = await startKassa({ worker: true })
  const shop = await openShop(kassa.ctx)
  const first = await openDemo(kassa, shop)
  let second: Awaited<ReturnType<typeof openDemo>> | undefined
  try {
    await setCallback(kassa.ctx, shop.merchantId, `${first.url}/callback`)
    expect(await keepsOrders(kassa.ctx, shop.merchantId)).toBe(false)
    const { body } = await clickWidget(kassa.url, shop, { body: { productId: 'cup' } })
    const id = body.paymentId
    expect((await first.refund(id, 'rest')).status).toBe(409)
    const { providerCheckoutUrl } = (await lookUp(kassa.url, shop, id)).body
    await payAtBank(providerCheckoutUrl, 'paid')
    const until = (demo: typeof first, expected: object) =>
      expect.poll(() => demo.order(id)).toMatchObject(expected)
    await until(first, { mayShip: true, why: 'paidTwice', refundable: { part: 50_000, rest: 190_000 } })
    const { event, timeline } = await first.order(id)
    const sold = { merchantId: shop.merchantId, since: new Date(0), until: new Date('2999-01-01'), limit: 9 }
    const listed = () => listOrders(kassa.ctx.db, { ...sold, way: null, needsPerson: false })
    await expect.poll(listed).toMatchObject([{ paymentId: id, decision: 'deliver' }])
    // So the console does not say that orders are kept elsewhere.
    expect(await keepsOrders(kassa.ctx, shop.merchantId)).toBe(true)
    expect(event.headers['x-service-signature']).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/)
    expect(timeline.map(({ status }: { status: string }) => status)).toEqual(['created', 'paid'])

    kassa.clock.advance(2_000)
    second = await openDemo(kassa, shop)
    expect(await second.order(id)).toMatchObject({ mayShip: true, why: 'paidBefore', event: null })

    expect((await first.refund(id, 'part', 'cross-site')).status).toBe(403)
    const [one, other] = await Promise.all([first.refund(id, 'part'), second.refund(id, 'part')])
    expect([one.status, other.status]).toEqual([200, 200])
    expect(one.body.operationId).toBe(other.body.operationId)
    await until(first, {
      mayShip: false,
      why: 'partially_refunded',
      refundable: { part: null, rest: 140_000 },
    })
    await until(second, { why: 'partially_refunded', refundable: { part: null, rest: 140_000 } })
    expect((await second.refund(id, 'rest')).status).toBe(200)
    await until(first, { why: 'refunded', refundable: { part: null, rest: null } })
    const everything = JSON.stringify(await first.order(id))
    expect(everything).not.toContain(shop.token)
    expect(everything).not.toContain(shop.webhookSecret)
  } finally {
    first.close()
    second?.close()
    await kassa.close()
  }
})
