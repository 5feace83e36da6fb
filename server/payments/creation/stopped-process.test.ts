/** A process that is stopped while it opens an order, and goes on after another process has opened it, sends nothing any more. */
import { expect, test } from 'vitest'
import { createSession } from '../../testing/calls.ts'
import { openShop, startKassa } from '../../testing/harness.ts'
import { spawnCrashingKassa, startCrashingKassa } from '../../testing/processes/crashing-kassa.ts'
import { startCountingBank } from '../../testing/providers/counting-bank.ts'

/** Half of it must be enough on a busy machine too. The other process waits for its end. */
const LEASE_SECONDS = 3
const OTHER_LEASE_SECONDS = 30

test('a process that is stopped between the connection and the request, for longer than its lease, opens no second order', async () => {
  const kassa = await startKassa()
  const bank = await startCountingBank()
  const shop = await openShop(kassa.ctx)
  const given = { databaseUrl: kassa.databaseUrl, bankUrl: bank.url, leaseSeconds: LEASE_SECONDS }
  const [stopped, other] = await Promise.all([
    spawnCrashingKassa({ ...given, stops: true }),
    startCrashingKassa({ ...given, leaseSeconds: OTHER_LEASE_SECONDS }),
  ])
  const create = (url: string) => createSession(url, shop, { key: 'stopped' })
  try {
    const first = create(stopped.url)
    await expect.poll(stopped.reached).toBe('before writing')
    expect((await create(other.url)).status).toBe(201)
    expect([...bank.orders.values()]).toEqual([1])
    stopped.goOn()
    expect((await first).status).toBe(503)
    expect([...bank.orders.values()]).toEqual([1])
    expect((await create(stopped.url)).status).toBe(200)
  } finally {
    await stopped.kill()
    await other.kill()
    await kassa.close()
    await bank.close()
  }
}, 30_000)
