/** A provider that takes longer over a new order than it is waited for: one order all the same. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Driver } from '../../providers/driver.ts'
import { createSession } from '../../testing/calls.ts'
import { countingBankDriver, startCountingBank } from '../../testing/counting-bank.ts'
import { openShop, startKassa } from '../../testing/harness.ts'

const LEASE_SECONDS = 2
/** Longer than it is waited for (half of the lease), shorter than the lease, for whose end the retry waits. */
const SLOW_MS = 1_300

test('a retry that comes before a slow provider is done opens no second order', async () => {
  const kassa = await startKassa({ settings: { IDEMPOTENCY_LEASE: String(LEASE_SECONDS) } })
  const bank = await startCountingBank()
  const driver = countingBankDriver(bank.url, () => {})
  const slow = async (...asked: Parameters<NonNullable<Driver['startCheckout']>>) => {
    await sleep(SLOW_MS)
    if (!driver.startCheckout) throw new Error('This bank opens orders.')
    return driver.startCheckout(...asked)
  }
  kassa.ctx.routes.route_a.driver = { ...driver, startCheckout: slow } as Driver
  try {
    const shop = await openShop(kassa.ctx)
    const ask = () => createSession(kassa.url, shop, { key: 'slow' })
    expect((await ask()).status).toBe(503)
    kassa.ctx.routes.route_a.driver = driver
    expect((await ask()).status).toBe(201)
    // Until the call that was given up has come to the bank as well.
    await sleep(SLOW_MS)
    expect([...bank.orders.values()]).toEqual([1])
  } finally {
    await kassa.close()
    await bank.close()
  }
})
