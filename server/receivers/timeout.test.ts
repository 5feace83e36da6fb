import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { createSession, payAtBank } from '../testing/calls.ts'
import { openShop } from '../testing/harness.ts'
import { closeAfter, openKassa } from '../testing/scene.ts'
import { verifyCallback } from './check.ts'
import { listenToEvents } from './listen.ts'
import { setCallback } from './receiver.ts'

const kassa = await openKassa({ settings: { EVENT_TIMEOUT: '0.3' } })
const shop = await openShop(kassa.ctx)
const silent = closeAfter(createServer(() => {}).listen(0, '127.0.0.1'))
await once(silent, 'listening')
const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/callback`
afterAll(async () => {
  silent.closeAllConnections()
})

test('a verification waits for a response only as long as EVENT_TIMEOUT', async () => {
  await setCallback(kassa.ctx, shop.merchantId, url)
  expect(await verifyCallback(kassa.ctx, shop.merchantId)).toMatchObject({
    accepted: false,
    failure: 'no answer within 300 ms',
  })
})

test('forwarding to a laptop waits for a response only as long as EVENT_TIMEOUT', async () => {
  const stopping = new AbortController()
  const since = new Date(kassa.clock.now().getTime() - 60_000)
  const { merchantId } = shop
  const { body } = await createSession(kassa.url, shop, { key: 'silent' })
  await payAtBank(body.providerCheckoutUrl, 'paid')
  const forwardings = await listenToEvents(kassa.ctx, {
    merchantId,
    forwardTo: url,
    since,
    signal: stopping.signal,
  })
  const { value } = await forwardings.next()
  stopping.abort()
  expect(value).toMatchObject({ exchange: { kind: 'failed', message: 'no answer within 300 ms' } })
})
