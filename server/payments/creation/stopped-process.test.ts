/** A process that is stopped while it opens an order, for longer than its lease, sends nothing any more when it goes on. */
import { expect, test } from 'vitest'
import { createSession } from '../../testing/calls.ts'
import { beforeWriting } from '../../testing/processes/crash-points.ts'
import { spawnCrashingKassa, startCrashingKassa } from '../../testing/processes/crashing-kassa.ts'
import { countingBankDriver, startCountingBank } from '../../testing/providers/counting-bank.ts'
import { closeAfter, openScene } from '../../testing/scene.ts'

/** Half of it must be enough on a busy machine too. The other process waits for its end. */
const LEASE_SECONDS = 3
const OTHER_LEASE_SECONDS = 30
/** Longer than the lease of an opening. */
const STOPPED_MS = 91_000

const { kassa, shop } = await openScene()
const bank = closeAfter(await startCountingBank())
const create = (url: string, key: string) => createSession(url, shop, { key })

test('an opening that could not leave within its lease is not sent, and the next request opens one order', async () => {
  const { route_a: route } = kassa.ctx.routes
  let isStopped = false
  const driver = countingBankDriver(bank.url, (reached) => {
    if (reached !== 'before provider' || isStopped) return
    isStopped = true
    // Much time passes between the connection for this call and its first byte.
    beforeWriting(bank.url, () => kassa.clock.advance(STOPPED_MS))
  })
  kassa.ctx.routes.route_a = { ...route, driver }
  expect((await create(kassa.url, 'late')).status).toBe(503)
  expect([...bank.orders.values()]).toEqual([])
  kassa.clock.advance(STOPPED_MS)
  expect((await create(kassa.url, 'late')).status).toBe(201)
  expect([...bank.orders.values()]).toEqual([1])
})

test('a process that is stopped between the connection and the request, for longer than its lease, opens no second order', {
  tags: ['long'],
}, async () => {
  bank.orders.clear()
  const given = { databaseUrl: kassa.databaseUrl, bankUrl: bank.url, leaseSeconds: LEASE_SECONDS }
  const [stopped, other] = await Promise.all([
    spawnCrashingKassa({ ...given, stops: true }),
    startCrashingKassa({ ...given, leaseSeconds: OTHER_LEASE_SECONDS }),
  ])
  try {
    const first = create(stopped.url, 'stopped')
    await expect.poll(stopped.reached).toBe('before writing')
    expect((await create(other.url, 'stopped')).status).toBe(201)
    expect([...bank.orders.values()]).toEqual([1])
    stopped.goOn()
    expect((await first).status).toBe(503)
    expect([...bank.orders.values()]).toEqual([1])
    expect((await create(stopped.url, 'stopped')).status).toBe(200)
  } finally {
    await stopped.kill()
    await other.kill()
  }
})
