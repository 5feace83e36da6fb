/**
 * The process is killed at every step between claiming a key and answering, and at random times. Half of the clients retry
 * until they are answered. The other half never come back, and the finisher completes their payments. The one test in two
 * sizes.
 */
import { expect } from 'vitest'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { type CountingBank, startCountingBank } from '../../testing/counting-bank.ts'
import { type CrashingKassa, spawnCrashingKassa } from '../../testing/crashing-kassa.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { type Random, seededRandom } from '../../testing/random.ts'

const STEPS = [
  'before begin_payments',
  'after begin_payments',
  'before provider',
  'while provider',
  'after provider',
  'before finish_payments',
  'after finish_payments',
  'before answer',
  'after answer',
]
/** What only those reach who take over from the dead, at the end of the lease. */
const TAKEOVERS = [
  'after take_idempotency_lease',
  'after claim_abandoned_idempotency_keys',
  'before look-up',
  'after look-up',
]
const POINTS = [...STEPS, ...TAKEOVERS]
const LANES = 2
const NEW_KEYS = 8
/** A life that does not come to its point by then is ended from outside. */
const LIFE_MS = 2_500
const ROUND_MS_MAX = 180

type Client = { key: string; retries: boolean; answer: string | null }
type World = { kassa: Kassa; shop: Shop; bank: CountingBank; random: Random }

function begin({ kassa, bank, random }: World, at: string | null): Promise<CrashingKassa> {
  const crash = at === null ? undefined : { at, nth: random(1, 4) }
  return spawnCrashingKassa({ databaseUrl: kassa.databaseUrl, bankUrl: bank.url, leaseSeconds: 1, crash })
}

/** One call of a client. What was acknowledged once must never change. */
async function call({ shop }: World, client: Client, url: string): Promise<void> {
  const { key } = client
  const body = sessionRequest({ merchantOrderId: key })
  const answer = await createSession(url, shop, { key, body }).catch(() => null)
  if (answer?.status !== 200 && answer?.status !== 201) return
  expect(client.answer ?? answer.body.id).toBe(answer.body.id)
  client.answer = answer.body.id
}

/** One process from start to death, with the retries of those before it. Answers the point at which it killed itself. */
async function liveOnce(
  world: World,
  clients: Client[],
  lane: number,
  point: string | null,
): Promise<string | null> {
  const life = await begin(world, point)
  const fresh = Array.from({ length: NEW_KEYS }, (_, index): Client => {
    return { key: `lane-${lane}-${clients.length + index}`, retries: index % 2 === 0, answer: null }
  })
  const calling = [...clients.filter(isWaiting), ...fresh].map((client) => call(world, client, life.url))
  clients.push(...fresh)
  const limitMs = point ? LIFE_MS : world.random(0, ROUND_MS_MAX)
  const tooLong = setTimeout(() => life.child.kill('SIGKILL'), limitMs)
  const answered = Promise.all(calling)
  // Nothing more will come to a step that has not been reached by now.
  if (point && STEPS.includes(point)) void answered.then(() => life.child.kill('SIGKILL'))
  await life.ended
  clearTimeout(tooLong)
  await answered
  return life.reached()
}

const isWaiting = ({ retries, answer }: Client) => retries && answer === null

async function countUnfinished({ kassa }: World): Promise<number> {
  const { rows } = await kassa.ctx.db.query(
    'select count(*)::int as count from sandbox.idempotency_keys where lease_until is not null',
  )
  return rows[0].count
}

/** A healthy process at last: whoever retries is answered, and the finisher answers for the rest. */
async function settle(world: World, clients: Client[]): Promise<void> {
  const life = await begin(world, null)
  const callAll = (these: Client[]) => Promise.all(these.map((client) => call(world, client, life.url)))
  try {
    const deadline = performance.now() + 12_000
    while (clients.some(isWaiting) && performance.now() < deadline) await callAll(clients.filter(isWaiting))
    expect(clients.filter(isWaiting)).toEqual([])
    await expect.poll(() => countUnfinished(world), { timeout: 12_000 }).toBe(0)
    await callAll(clients.filter(({ answer }) => answer !== null))
  } finally {
    life.child.kill('SIGKILL')
    await life.ended
  }
}

type Row = { order: string; reference: string; status: string; url: string | null; id: string }

async function expectOneOrderEach({ kassa, bank }: World, clients: Client[]): Promise<void> {
  const { rows } = await kassa.ctx.db.query<Row>(
    `select merchant_order_id as "order", provider_reference as reference, status, provider_checkout_url as url, id from sandbox.payments`,
  )
  const byOrder = Map.groupBy(rows, ({ order }) => order)
  expect([...byOrder.values()].filter((payments) => payments.length > 1)).toEqual([])
  for (const { key, retries, answer } of clients) {
    const payment = byOrder.get(key)?.[0]
    // Whoever never came back may have died before anything was written.
    expect([key, payment?.id ?? null]).toEqual([key, retries ? answer : (answer ?? payment?.id ?? null)])
  }
  expect(rows.filter(({ status, url }) => status !== 'pending_redirect' || url === null)).toEqual([])
  expect([...bank.orders].filter(([, count]) => count !== 1)).toEqual([])
  expect([...bank.orders.keys()].sort()).toEqual(rows.map(({ reference }) => reference).sort())
}

export type Size = {
  /** How often a process must die at each point, at least. */
  killsEach: number
  randomKills: number
  /** A point may be missed: then another process tries it, as long as there are tries left. */
  triesMax: number
  seed: number
}

/**
 * Kills processes at each point and at random moments, lets the last one live, and compares the books of both sides.
 * Returns how often a process died at each point.
 */
export async function surviveKills({ killsEach, randomKills, triesMax, seed }: Size): Promise<string> {
  const random = seededRandom(seed)
  const kassa = await startKassa()
  const bank = await startCountingBank()
  const world = { kassa, bank, random, shop: await openShop(kassa.ctx) }
  const kills = new Map(POINTS.map((point) => [point, 0]))
  const plan: (string | null)[] = Array.from({ length: killsEach }, () => POINTS).flat()
  plan.push(...Array.from({ length: randomKills }, () => null))
  let triesLeft = triesMax
  const next = () => {
    const planned = plan.shift()
    if (planned !== undefined) return planned
    return triesLeft-- > 0 ? POINTS.find((point) => (kills.get(point) ?? 0) < killsEach) : undefined
  }
  const clients = Array.from({ length: LANES }, (): Client[] => [])
  const runLane = async (own: Client[], lane: number) => {
    for (let point = next(); point !== undefined; point = next()) {
      const reached = await liveOnce(world, own, lane, point)
      if (reached) kills.set(reached, (kills.get(reached) ?? 0) + 1)
    }
  }
  try {
    await Promise.all(clients.map(runLane))
    await settle(world, clients.flat())
    await expectOneOrderEach(world, clients.flat())
    const figures = `kills with seed ${seed}: ${JSON.stringify(Object.fromEntries(kills))}`
    for (const [point, count] of kills)
      expect(count, `${point}; ${figures}`).toBeGreaterThanOrEqual(killsEach)
    return figures
  } finally {
    await kassa.close()
    await bank.close()
  }
}
