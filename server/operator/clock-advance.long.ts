import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { listPaymentChanges } from '../storage/payments/payment-changes.ts'
import { findPayment } from '../storage/payments/payments.ts'
import { findSandboxClock } from '../storage/sandbox/clock.ts'
import { createSession, lookUp, payAtBank, sessionRequest } from '../testing/calls.ts'
import { openShop, SECRETS_KEY } from '../testing/harness.ts'
import { operate, operateHere, operateJson } from '../testing/operator.ts'
import { endProcess, startProcess } from '../testing/processes/child-process.ts'
import { startReceiver } from '../testing/receiver.ts'
import { openKassa } from '../testing/scene.ts'
import { type ServedHere, serveHere } from '../testing/serve-here.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const ADMIN = fileURLToPath(new URL('../admin.ts', import.meta.url))

// This Kassa only provides the database. Servers, workers and commands use their own connections.
let running: ServedHere[] = []
const kassa = await openKassa()
afterEach(async () => {
  await Promise.all(running.map((each) => each.stop()))
  running = []
})

async function serve(settings: Record<string, string> = {}): Promise<ServedHere> {
  const service = await serveHere({ DATABASE_URL: kassa.databaseUrl, ...settings })
  running.push(service)
  return service
}

const settingsOf = ({ url }: ServedHere) => ({ DATABASE_URL: kassa.databaseUrl, BASE_URL: url })
const advance = (served: ServedHere, by: string) =>
  operateJson(settingsOf(served), ['clock', 'advance', '--by', by])
const aheadMs = async () => (await findSandboxClock(kassa.ctx.db)).offsetMs

async function countWorkers(condition: string): Promise<number> {
  const { rows } = await kassa.ctx.db.query(`select from sandbox.sandbox_workers where ${condition}`)
  return rows.length
}

test('a month of due work happens in order while a server and two workers run: an expiry, a full retry schedule, an unclear payment that becomes paid', async () => {
  const served = await serve()
  await serve({ PROCESS: 'all' })
  const receiver = await startReceiver(() => 500)
  try {
    const shop = await openShop(kassa.ctx, { callbackUrl: receiver.url })
    const open = async (order: string) =>
      (
        await createSession(served.url, shop, {
          key: order,
          body: sessionRequest({ merchantOrderId: order }),
        })
      ).body
    const forgotten = await open('forgotten')
    const unclear = await open('unclear')
    await payAtBank(unclear.providerCheckoutUrl, 'unknown')
    expect((await lookUp(served.url, shop, unclear.id)).body.status).toBe('status_unknown')
    const before = await aheadMs()
    const { code, answer } = await advance(served, '30d')
    expect([code, answer.arrived, (await aheadMs()) - before]).toEqual([0, true, 30 * DAY_MS])
    expect(answer.receivers).toMatchObject([{ merchantId: shop.merchantId, state: 'resting' }])

    const changesOf = async (id: string) => listPaymentChanges(kassa.ctx.db, shop.merchantId, id)
    const expired = (await changesOf(forgotten.id)).at(-1)
    const { expiresAt } = (await findPayment(kassa.ctx.db, shop.merchantId, forgotten.id)) ?? {}
    expect(expired).toMatchObject({ toStatus: 'expired', cause: 'expiry' })
    expect(Number(expired?.createdAt) - Number(expiresAt)).toBeLessThan(5_000)
    const repaired = (await changesOf(unclear.id)).at(-1)
    expect(repaired).toMatchObject({ fromStatus: 'status_unknown', toStatus: 'paid', cause: 'provider' })

    // Each event has ten attempts, and the waits between them are those of the schedule.
    const { rows } = await kassa.ctx.db.query(
      `select d.event_id, d.attempt, d.created_at from sandbox.deliveries d join sandbox.events e on e.id = d.event_id
       where e.payment_id = $1 order by attempt`,
      [forgotten.id],
    )
    const times = rows.map(({ created_at }) => Number(created_at))
    const waits = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / 1000)
    const schedule = kassa.ctx.config.eventRetryDelaysSeconds.slice(1)
    expect(waits).toHaveLength(schedule.length)
    schedule.forEach((delay, index) => {
      expect(waits[index]).toBeGreaterThanOrEqual(delay - 0.5)
    })
    // The log is in order.
    const logTimes = answer.log.map(({ at }: { at: string }) => at)
    expect(logTimes).toEqual([...logTimes].sort())

    const health = await fetch(`${served.url}/api/health`).then((reply) => reply.json())
    expect(health).toMatchObject({ sandboxClock: { aheadSeconds: Math.round((await aheadMs()) / 1000) } })
    const { body: made } = await createSession(served.url, shop, { key: 'after' })
    expect(Math.abs(Date.parse(made.createdAt) - Date.now() - (await aheadMs()))).toBeLessThan(5_000)
    await expect.poll(() => countWorkers('not paused')).toBe(2)
  } finally {
    await receiver.close()
  }
})

test('workers pause while the clock is moved, and continue after the moving command was killed', async () => {
  const served = await serve()
  const shop = await openShop(kassa.ctx)
  // Forty open payments keep the command busy, because each has questions due for a whole day.
  for (let index = 0; index < 40; index++)
    await createSession(served.url, shop, {
      key: `busy-${index}`,
      body: sessionRequest({ merchantOrderId: `busy-${index}` }),
    })
  const before = await aheadMs()
  const args = ['clock', 'advance', '--by', '700d']
  const mover = startProcess(ADMIN, { args, env: { MODE: 'sandbox', SECRETS_KEY, ...settingsOf(served) } })
  mover.stdout.resume()
  await expect.poll(aheadMs, { interval: 5 }).toBeGreaterThan(before)
  await endProcess(mover)
  expect(await countWorkers('paused')).toBe(1)
  const reached = await aheadMs()
  expect(reached - before).toBeLessThan(700 * DAY_MS)
  // The killed command still holds the clock for a few seconds. After that another command can move it.
  const refused = await operate(settingsOf(served), ['clock', 'advance', '--by', '1h'])
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('Somebody else is moving the clock'),
  ])
  await expect.poll(() => countWorkers('not paused')).toBe(1)
  expect((await advance(served, '1h')).answer.arrived).toBe(true)
  expect(await aheadMs()).toBeGreaterThanOrEqual(reached + HOUR_MS)
  await expect.poll(() => countWorkers('not paused')).toBe(1)
})

test('the clock can be moved without a running server, and a move beyond the limit or of the live world is rejected', async () => {
  const settings = { DATABASE_URL: kassa.databaseUrl }
  const before = await aheadMs()
  const passed = await operate(settings, ['clock', 'advance', '--by', '2h'])
  expect([passed.code, await aheadMs()]).toEqual([0, before + 2 * HOUR_MS])
  expect(passed.stdout).toContain('ahead of real time')
  const shown = await operateJson(settings, ['clock', 'show'])
  expect(shown.answer).toMatchObject({ mode: 'sandbox', aheadSeconds: Math.round((await aheadMs()) / 1000) })
  for (const by of ['801d', '0d', '-1d', '5', '1w', '1.5h']) {
    const { code, stderr } = await operateHere(async () => kassa.ctx, ['clock', 'advance', '--by', by])
    expect([by, code, stderr]).toEqual([by, 1, expect.stringContaining('--by')])
  }
  const live = { ...settings, MODE: 'live', SECRETS_KEY, BASE_URL: 'https://pay.example', TRUST_PROXY: '1' }
  const { code, stderr } = await operate(live, ['clock', 'advance', '--by', '1h'])
  expect([code, stderr]).toEqual([
    1,
    'The live world runs in real time. Only the clock of the sandbox can be moved.\n',
  ])
})
