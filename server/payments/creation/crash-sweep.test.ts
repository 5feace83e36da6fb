/**
 * The process is killed at every step between claiming a key and answering, and at random times. Half of the clients retry
 * until they are answered; the other half never come back, and the finisher answers for them.
 */
import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { type CountingBank, startCountingBank } from '../../testing/counting-bank.ts'
import { type CrashingKassa, spawnCrashingKassa } from '../../testing/crashing-kassa.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'

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
const KILLS_EACH = 6
const RANDOM_KILLS = 30
const LANES = 2
const NEW_KEYS = 8
/** A life that does not come to its point by then is ended from outside. */
const LIFE_MS = 2_500
const ROUND_MS_MAX = 180

type Client = { key: string; retries: boolean; answer: string | null }

let kassa: Kassa
let shop: Shop
let bank: CountingBank
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
  bank = await startCountingBank()
})
afterAll(async () => {
  await kassa.close()
  await bank.close()
})

function begin(at: string | null): Promise<CrashingKassa> {
  const crash = at === null ? undefined : { at, nth: randomInt(1, 4) }
  return spawnCrashingKassa({ databaseUrl: kassa.databaseUrl, bankUrl: bank.url, leaseSeconds: 1, crash })
}

/** One call of a client. What was acknowledged once must never change. */
async function call(client: Client, url: string): Promise<void> {
  const { key } = client
  const body = sessionRequest({ merchantOrderId: key })
  const answer = await createSession(url, shop, { key, body }).catch(() => null)
  if (answer?.status !== 200 && answer?.status !== 201) return
  expect(client.answer ?? answer.body.id).toBe(answer.body.id)
  client.answer = answer.body.id
}

/** One process from start to death, with the retries of those before it. Answers the point at which it killed itself. */
async function liveOnce(clients: Client[], lane: number, point: string | null): Promise<string | null> {
  const life = await begin(point)
  const fresh = Array.from({ length: NEW_KEYS }, (_, index): Client => {
    return { key: `lane-${lane}-${clients.length + index}`, retries: index % 2 === 0, answer: null }
  })
  const calling = [...clients.filter(isWaiting), ...fresh].map((client) => call(client, life.url))
  clients.push(...fresh)
  const tooLong = setTimeout(() => life.child.kill('SIGKILL'), point ? LIFE_MS : randomInt(ROUND_MS_MAX))
  const answered = Promise.all(calling)
  // Nothing more will come to a step that has not been reached by now.
  if (point && STEPS.includes(point)) void answered.then(() => life.child.kill('SIGKILL'))
  await life.ended
  clearTimeout(tooLong)
  await answered
  return life.reached()
}

const isWaiting = ({ retries, answer }: Client) => retries && answer === null

async function countUnfinished(): Promise<number> {
  const { rows } = await kassa.ctx.db.query(
    'select count(*)::int as count from sandbox.idempotency_keys where lease_until is not null',
  )
  return rows[0].count
}

/** A healthy process at last: whoever retries is answered, and the finisher answers for the rest. */
async function settle(clients: Client[]): Promise<void> {
  const life = await begin(null)
  try {
    const deadline = performance.now() + 12_000
    while (clients.some(isWaiting) && performance.now() < deadline)
      await Promise.all(clients.filter(isWaiting).map((client) => call(client, life.url)))
    expect(clients.filter(isWaiting)).toEqual([])
    await expect.poll(countUnfinished, { timeout: 12_000 }).toBe(0)
    await Promise.all(clients.filter(({ answer }) => answer !== null).map((client) => call(client, life.url)))
  } finally {
    life.child.kill('SIGKILL')
    await life.ended
  }
}

type Row = { order: string; reference: string; status: string; url: string | null; id: string }

async function expectOneOrderEach(clients: Client[]): Promise<void> {
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

test('over a hundred kills, at every step and at random, make no second order and leave no key unanswered', async () => {
  const named = Array.from({ length: KILLS_EACH }, () => POINTS).flat()
  const plan: (string | null)[] = [...named, ...Array.from({ length: RANDOM_KILLS }, () => null)]
  const clients = Array.from({ length: LANES }, (): Client[] => [])
  const reached: (string | null)[] = []
  const runLane = async (own: Client[], lane: number) => {
    for (let next = plan.shift(); next !== undefined; next = plan.shift())
      reached.push(await liveOnce(own, lane, next))
  }
  await Promise.all(clients.map(runLane))
  await settle(clients.flat())
  await expectOneOrderEach(clients.flat())
  expect(reached.length).toBeGreaterThanOrEqual(100)
  const kills = Object.fromEntries(
    POINTS.map((point) => [point, reached.filter((each) => each === point).length]),
  )
  for (const point of POINTS)
    expect(kills[point], `${point}: ${JSON.stringify(kills)}`).toBeGreaterThanOrEqual(3)
}, 240_000)
