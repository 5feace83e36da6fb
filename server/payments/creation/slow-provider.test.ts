/** A provider needs longer for a new order than we wait. A retry still opens no second order. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSession } from '../../testing/calls.ts'
import { openShop, startKassa } from '../../testing/harness.ts'
import { countingBankDriver, startCountingBank } from '../../testing/providers/counting-bank.ts'

const LEASE_SECONDS = 2
/** Longer than we wait (half of the lease) and shorter than the lease. The retry waits until the lease ends. */
const SLOW_MS = 1_300

test('a retry that arrives while a slow provider is still opening the order opens no second one', async () => {
  const kassa = await startKassa({ settings: { ATTEMPT_LEASE: String(LEASE_SECONDS) } })
  const bank = await startCountingBank({ opensAfterMs: () => SLOW_MS })
  kassa.ctx.routes.route_a.driver = countingBankDriver(bank.url, () => {})
  try {
    const shop = await openShop(kassa.ctx)
    const create = () => createSession(kassa.url, shop, { key: 'slow' })
    expect((await create()).status).toBe(503)
    expect((await create()).status).toBe(201)
    // Real time: the bank has opened every order before this pause ends. If not, the test finds fewer orders.
    await sleep(SLOW_MS)
    expect([...bank.orders.values()]).toEqual([1])
  } finally {
    await kassa.close()
    await bank.close()
  }
})
