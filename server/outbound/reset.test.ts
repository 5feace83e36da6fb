/** A receiver reads a request on a reused connection, and resets the connection instead of responding. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { adviceNameOf } from '../receivers/advice.ts'
import { listDeliveries } from '../storage/events/events.ts'
import { createSession, payAtBank } from '../testing/calls.ts'
import { openShop } from '../testing/harness.ts'
import { openKassa } from '../testing/scene.ts'
import { createOutbound } from './outbound.ts'

const kassa = await openKassa({ worker: true, settings: { EVENT_RETRY_DELAYS: '0,1,1' } })

/** Responds to the first `takes` requests, ends the connection of the next one after reading it, and responds to the rest. */
async function startResetting(takes: number, how: 'resetAndDestroy' | 'destroy' = 'resetAndDestroy') {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()).toString())
    if (bodies.length === takes + 1) request.socket[how]()
    else response.end('taken')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return { url, bodies, close: () => void server.close(server.closeAllConnections() ?? undefined) }
}

test.each(['resetAndDestroy', 'destroy'] as const)(
  'a request that was read is not sent again within the attempt after %s',
  async (how) => {
    const receiver = await startResetting(1, how)
    const outbound = createOutbound(['loopback'])
    const post = (body: string) => outbound.post(receiver.url, { headers: {}, body, timeoutMs: 2_000 })
    try {
      expect((await post('first')).kind).toBe('answered')
      const second = await post('second')
      expect(second.kind).toBe('failed')
      const failure = second.kind === 'failed' ? second.message : null
      expect(adviceNameOf({ statusCode: null, failure })).toBe('closes')
      expect(receiver.bodies).toEqual(['first', 'second'])
      expect((await post('third')).kind).toBe('answered')
    } finally {
      receiver.close()
    }
  },
)

test('an event that was read and then reset counts as an attempt, and the schedule sends it again', async () => {
  const receiver = await startResetting(1)
  try {
    const shop = await openShop(kassa.ctx, { callbackUrl: receiver.url })
    const { body } = await createSession(kassa.url, shop)
    await fetch(body.providerCheckoutUrl)
    await fetch(`${kassa.url}/checkout/${body.id}/return`, { redirect: 'manual' })
    await expect.poll(() => receiver.bodies.length).toBe(1)
    await payAtBank(body.providerCheckoutUrl, 'paid')
    await expect.poll(() => receiver.bodies.length).toBe(3)
    const paid = receiver.bodies[2] ?? ''
    expect(receiver.bodies[1]).toBe(paid)
    const eventId = JSON.parse(paid).id
    const attempts = () => listDeliveries(kassa.ctx.db, shop.merchantId, eventId)
    await expect.poll(async () => (await attempts()).length).toBe(2)
    const [first, second] = await attempts()
    expect([first?.attempt, first?.statusCode, second?.attempt, second?.statusCode]).toEqual([
      1,
      null,
      2,
      200,
    ])
    expect((second?.createdAt.getTime() ?? 0) - (first?.createdAt.getTime() ?? 0)).toBeGreaterThanOrEqual(900)
  } finally {
    receiver.close()
  }
})
