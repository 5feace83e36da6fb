/** A service that is killed in the middle of creations, and what must be true after its restart. */
import { expect } from 'vitest'
import { createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { type Kassa, type Shop, spawnKassa } from '../../testing/harness.ts'
import type { Random } from '../../testing/random.ts'

const AT_ONCE = 16
const SOME_WITHIN_MS = 10_000

type Made = { key: string; id: string }
type Creating = { made: Made[]; over: Promise<unknown> }
/** `round` makes the keys unlike those of another round. */
type Round = { creations: number; round: number }

/** Creates until the server is killed. `made` grows with what is acknowledged. Every key is tried once. */
export function createUntilCut(url: string, shop: Shop, { creations, round }: Round): Creating {
  const made: Made[] = []
  let next = 0
  const work = async () => {
    while (next < creations) {
      const key = `crash-${round}-${next++}`
      const answer = await createOnce(url, shop, key).catch(() => null)
      if (answer?.status === 201) made.push({ key, id: answer.body.id })
    }
  }
  return { made, over: Promise.all(Array.from({ length: AT_ONCE }, work)) }
}

/** Waits until so many creations are acknowledged, which is in the middle of the others. */
export async function untilMade({ made }: Creating, count: number): Promise<void> {
  await expect.poll(() => made.length, { interval: 1, timeout: SOME_WITHIN_MS }).toBeGreaterThanOrEqual(count)
}

function createOnce(url: string, shop: Shop, key: string) {
  return createSession(url, shop, { key, body: sessionRequest({ merchantOrderId: key }) })
}

/**
 * After the restart: what was acknowledged is there, a retry returns it, and no order was made twice. A retry of a key
 * that the dead process held waits for the end of its lease.
 */
export async function expectNothingLost(
  url: string,
  shop: Shop,
  { made }: Creating,
  { creations, round }: Round,
): Promise<void> {
  for (const { key, id } of made) {
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
  const unfinished = await ctx.db.query(
    'select key from sandbox.idempotency_keys where lease_until is not null',
  )
  expect(unfinished.rows).toEqual([])
}

/** Kills the server in the middle of `creations`, `rounds` times, each time at another moment. */
export async function surviveServerKills(
  kassa: Kassa,
  shop: Shop,
  { rounds, creations, random }: { rounds: number; creations: number; random: Random },
): Promise<void> {
  const settings = { DATABASE_URL: kassa.databaseUrl, PROCESS: 'web', IDEMPOTENCY_LEASE: '1' }
  for (let round = 0; round < rounds; round++) {
    const killed = await spawnKassa(settings)
    const creating = createUntilCut(killed.url, shop, { creations, round })
    await untilMade(creating, random(1, creations / 2))
    await killed.kill('SIGKILL')
    await creating.over
    expect(creating.made.length).toBeLessThan(creations)
    const restarted = await spawnKassa(settings)
    try {
      await expectNothingLost(restarted.url, shop, creating, { creations, round })
    } finally {
      await restarted.kill('SIGKILL')
    }
  }
  await expectOneOrderEach(kassa)
}
