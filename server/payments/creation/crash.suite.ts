/** The service is killed during creations. This suite checks what must be true after its restart. */
import { expect } from 'vitest'
import { createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { type Kassa, type Shop, spawnKassa } from '../../testing/harness.ts'
import type { Random } from '../../testing/random.ts'

const AT_ONCE = 16
const ACKNOWLEDGED_WITHIN_MS = 60_000

type Created = { key: string; id: string }
/** `acknowledged`: the payments that returned 201 so far. `ended`: settles when no more requests are sent. */
type Creating = { acknowledged: Created[]; ended: Promise<unknown> }
/** `round` is part of the keys, so that each round has its own. */
type Round = { creations: number; round: number }

/** Creates payments until the server is killed. Every key is used once. */
export function createUntilKilled(url: string, shop: Shop, { creations, round }: Round): Creating {
  const acknowledged: Created[] = []
  let next = 0
  const work = async () => {
    while (next < creations) {
      const key = `crash-${round}-${next++}`
      const answer = await createOnce(url, shop, key).catch(() => null)
      if (answer?.status === 201) acknowledged.push({ key, id: answer.body.id })
    }
  }
  return { acknowledged, ended: Promise.all(Array.from({ length: AT_ONCE }, work)) }
}

/** Waits until this many creations are acknowledged, while the others are still running. */
export async function untilAcknowledged({ acknowledged }: Creating, count: number): Promise<void> {
  await expect
    .poll(() => acknowledged.length, { interval: 1, timeout: ACKNOWLEDGED_WITHIN_MS })
    .toBeGreaterThanOrEqual(count)
}

function createOnce(url: string, shop: Shop, key: string) {
  return createSession(url, shop, { key, body: sessionRequest({ merchantOrderId: key }) })
}

/**
 * After the restart each acknowledged payment exists, a retry returns it, and no key has created two payments. If the killed
 * process still holds a key's lease, the retry waits until the lease ends.
 */
export async function expectNothingLost(
  url: string,
  shop: Shop,
  { acknowledged }: Creating,
  { creations, round }: Round,
): Promise<void> {
  for (const { key, id } of acknowledged) {
    expect((await lookUp(url, shop, id)).status).toBe(200)
    const again = await createOnce(url, shop, key)
    expect([key, again.status, again.body.id]).toEqual([key, 200, id])
  }
  const retried = await Promise.all(
    Array.from({ length: creations }, (_, index) => createOnce(url, shop, `crash-${round}-${index}`)),
  )
  expect(retried.map((answer) => answer.status).filter((status) => status !== 200 && status !== 201)).toEqual(
    [],
  )
  expect(new Set(retried.map((answer) => answer.body.id)).size).toBe(creations)
}

export async function expectOneOrderEach({ ctx }: Kassa): Promise<void> {
  const twice = await ctx.db.query(
    'select merchant_order_id from sandbox.payments group by 1 having count(*) > 1',
  )
  expect(twice.rows).toEqual([])
  const unfinished = await ctx.db.query(`select payment_id from sandbox.attempts where state = 'opening'`)
  expect(unfinished.rows).toEqual([])
}

/** Kills the server during `creations` creations, `rounds` times, each time at another moment. */
export async function surviveServerKills(
  kassa: Kassa,
  shop: Shop,
  { rounds, creations, random }: { rounds: number; creations: number; random: Random },
): Promise<void> {
  const settings = { DATABASE_URL: kassa.databaseUrl, PROCESS: 'web', ATTEMPT_LEASE: '4' }
  for (let round = 0; round < rounds; round++) {
    const killed = await spawnKassa(settings)
    const creating = createUntilKilled(killed.url, shop, { creations, round })
    await untilAcknowledged(creating, random(1, creations / 2))
    await killed.kill('SIGKILL')
    await creating.ended
    expect(creating.acknowledged.length).toBeLessThan(creations)
    const restarted = await spawnKassa(settings)
    try {
      await expectNothingLost(restarted.url, shop, creating, { creations, round })
    } finally {
      await restarted.kill('SIGKILL')
    }
  }
  await expectOneOrderEach(kassa)
}
