import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, test } from 'vitest'
import { verifyCallback } from '../merchants/callback-check.ts'
import { setCallback } from '../merchants/merchant.ts'
import { openShop, startKassa } from '../testing/harness.ts'
import { demoShop } from './shop.ts'

test("the demo shop's back end is verified honestly: it takes good events and refuses all others", async () => {
  const kassa = await startKassa()
  const shop = await openShop(kassa.ctx)
  const server = express().use(demoShop(kassa.ctx, shop)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    await setCallback(kassa.ctx, shop.merchantId, `http://127.0.0.1:${port}/callback`)
    const { accepted, checks } = await verifyCallback(kassa.ctx, shop.merchantId)
    expect(checks.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 401, 401, 401, 200])
    expect(accepted).toBe(true)
  } finally {
    server.closeAllConnections()
    server.close()
    await kassa.close()
  }
})
