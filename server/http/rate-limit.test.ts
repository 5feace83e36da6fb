import { describe, expect, test } from 'vitest'
import { call, createSession } from '../testing/calls.ts'
import { openShop, SHOP_ORIGIN, startKassa } from '../testing/harness.ts'
import { passRealTime } from '../testing/real-time.ts'
import { testFloods } from './rate-limit.suite.ts'

/** The long version: npm run test:long. */
testFloods(2, { write: { perSecond: 5, burst: 20 }, lookup: { perSecond: 10, burst: 40 } })

describe('with configured limits', () => {
  test('an empty bucket is refilled at its rate, and not faster', async () => {
    const [perSecond, burst] = [4, 2]
    const kassa = await startKassa({ settings: { RATE_LIMITS: `write=${perSecond}:${burst}` } })
    try {
      const shop = await openShop(kassa.ctx)
      const send = async () => (await createSession(kassa.url, shop, { key: 'same' })).status
      expect(await send()).toBe(201)
      const sentAt = performance.now()
      // Requests may be slow, so each one is counted with the time that has passed, and none is expected at an exact moment.
      let served = 1
      for (let tick = 1; tick <= 40; tick++) {
        passRealTime(50)
        if ((await send()) === 200) served++
        const seconds = (performance.now() - sentAt) / 1_000
        expect(served).toBeLessThanOrEqual(burst + perSecond * (seconds + 0.3))
      }
      // In two seconds there are permits again.
      expect(served).toBeGreaterThan(burst)
    } finally {
      await kassa.close()
    }
  })

  test('one key is limited over all addresses, and behind a trusted proxy each address has its own limit', async () => {
    const settings = {
      TRUST_PROXY: '1',
      RATE_LIMITS: 'widget_address=0.01:3,widget_key=0.01:10,widget_new=0.01:1',
    }
    const kassa = await startKassa({ settings })
    try {
      const shop = await openShop(kassa.ctx)
      const click = async (forwarded: string) =>
        (
          await call(`${kassa.url}/api/widget/checkout`, {
            headers: { origin: SHOP_ORIGIN, 'x-forwarded-for': forwarded },
            body: { publicKey: shop.publicKey, productId: 'tea', clientReference: 'click' },
          })
        ).status
      // The proxy adds the last address. The caller can forge those before it.
      const first = [
        await click('1.1.1.1, 192.0.2.1'),
        await click('192.0.2.1'),
        await click('2.2.2.2, 192.0.2.1'),
      ]
      expect(first).toEqual([201, 200, 200])
      expect(await click('3.3.3.3, 192.0.2.1')).toBe(429)
      // For IPv6 only the /64 prefix counts, because a caller can pick any address inside it.
      const second = [await click('2001:db8::1'), await click('2001:db8::2'), await click('2001:db8:0:0:9::')]
      expect(second).toEqual([200, 200, 200])
      expect([await click('2001:db8::3'), await click('2001:db8:0:1::1')]).toEqual([429, 200])
      expect([await click('192.0.2.2'), await click('192.0.2.3'), await click('192.0.2.4')]).toEqual([
        200, 200, 200,
      ])
      // The key's bucket is empty. Its reserve is for new networks, and has one permit here.
      expect(await click('192.0.2.2')).toBe(429)
      expect(await click('192.0.2.5')).toBe(200)
      expect(await click('192.0.2.6')).toBe(429)
    } finally {
      await kassa.close()
    }
  })
})
